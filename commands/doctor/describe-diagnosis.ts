import type { StoreInfo } from '../../connectors/partner/store-info.ts'
import { CLOCK_SKEW } from '../../reading/api-time.ts'
import { formatRefusal } from '../terminal/error.ts'
import { oneLine } from '../terminal/printable.ts'
import { fold } from '../terminal/started-as.ts'
import { formatTable } from '../terminal/table.ts'
import type { Diagnosis } from './diagnose-store.ts'

type Facts = Diagnosis['facts']

/** The most telling first; `--json` has all of it, with the evidence. */
const COLUMNS = [
  'offered',
  'page cap',
  'sort order',
  'offset parameter',
  'envelope',
  'end of a range',
  'zone of days',
]

/**
 * For people: who the store is, what its key may, how its lists behave, and what to do about it.
 */
export function describeDiagnosis({ store, identity, facts, ...rest }: Diagnosis): string {
  const changed = facts.filter(({ was }) => was !== undefined)
  const prose = [
    `${store}: ${identity === undefined ? 'not identified' : describeIdentity(identity)}`,
    rest.trouble === undefined
      ? `keys are good; PERFORM_RECONCILIATION: ${describePermission(rest.mayReconcile)}`
      : formatRefusal(rest.trouble),
    ...facts.filter(({ stream }) => stream === '').map(describeFact),
  ]
  const notes = [
    ...describeNotes(facts),
    ...changed.map(
      ({ stream, name, value, was }) => `changed: ${stream} ${name} is ${value}, was ${was}`,
    ),
  ]
  return [...prose.map(fold), ...describeLists(facts), ...spaced(notes.map(fold))].join('\n')
}

const spaced = (lines: readonly string[]): string[] => (lines.length === 0 ? [] : ['', ...lines])

/** Of the API altogether. */
const describeFact = ({ name, value, evidence }: Facts[number]): string =>
  name === CLOCK_SKEW ? `clock: ${evidence}` : `${name}: ${value}`

const describeIdentity = ({ name, companyId, shopId, timeZone }: StoreInfo): string =>
  [
    name ?? 'a store without a name',
    `company ${companyId ?? '?'}`,
    `shop ${shopId ?? '?'}`,
    `zone ${timeZone ?? 'not told'}`,
  ]
    .map(oneLine)
    .join(', ')

function describePermission(mayReconcile: boolean | undefined): string {
  if (mayReconcile === undefined) return 'the API does not say'
  return mayReconcile
    ? 'yes'
    : 'no: counts cannot be sent back with this partner key; ' +
        'ask the platform for the permission (all else works without it)'
}

/** How each list behaves, as far as the terminal is wide. */
function describeLists(facts: Facts): string[] {
  const lists = [...new Set(facts.map(({ stream }) => stream))].filter(stream => stream !== '')
  if (lists.length === 0) return []
  const cell = (stream: string, column: string): string =>
    facts.find(fact => fact.stream === stream && fact.name === column)?.value ?? ''
  const rows = lists.map(stream => [stream, ...COLUMNS.map(column => cell(stream, column))])
  return ['', formatTable(['list', ...COLUMNS], rows, { minor: COLUMNS.slice(3).toReversed() })]
}

interface Note {
  about: (fact: Facts[number]) => boolean
  means: string
}

const fact = (name: string, value: RegExp): Note['about'] => {
  return found => found.name === name && value.test(found.value)
}

/** What a value means, and what there is to do; in the order of the columns. */
const NOTES: readonly Note[] = [
  {
    about: fact('offered', /^no \((?!40[13]\b)\d+\)/),
    means:
      'the API does not have them. Nothing to do, unless batches are among them: ' +
      'journals know no costs of goods then.',
  },
  {
    about: fact('offered', /^no \(40[13]\)/),
    means: 'this partner key may not read them. If you need them, ask the platform for it.',
  },
  {
    about: fact('offered', /^no answer/),
    means: 'gave no answer now. Sync asks again; docs/errors.md says more.',
  },
  {
    about: fact('sort order', /^none/),
    means: 'rows come in no order. Nothing to do: sync reads them twice and compares.',
  },
  {
    about: fact('envelope', /without total$/),
    means:
      'the API does not say how many rows there are. Nothing to do: ' +
      'sync reads them twice and compares.',
  },
  {
    about: fact('dates look at', /^another/),
    means:
      'asked by date, the API filters by another field than modified. ' +
      'Edits of older records come with the sweep of schedules, or with sync --again.',
  },
]

function describeNotes(facts: Facts): string[] {
  const all = new Set(facts.map(({ stream }) => stream).filter(stream => stream !== ''))
  const notes = NOTES.flatMap(({ about, means }) => {
    const lists = facts.filter(about).map(({ stream }) => stream)
    const named = all.size > 1 && lists.length === all.size ? 'every list' : lists.join(', ')
    return lists.length === 0 ? [] : [`${named}: ${means}`]
  })
  const isUnknown = facts.some(({ stream, value }) => stream !== '' && value === 'unknown')
  return isUnknown ? [...notes, 'unknown: too few rows to tell. Nothing to do.'] : notes
}
