import { dayOf } from '../../calendar/clock.ts'
import { addDays, toMinute } from '../../calendar/days.ts'
import { textOf } from '../../commands/findings.ts'
import { noticesOf, readEverything } from '../../commands/status/read-everything.ts'
import { countOf } from '../../commands/terminal/number.ts'
import { standingOf } from '../../connectors/destination/ledger.ts'
import type { ReadOnlyDatabase } from '../../connectors/destination/read-only.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { html } from '../../documents/html.ts'
import { needsPerson } from '../../standing/alarm-kinds.ts'
import type { Notice } from '../../standing/notice.ts'
import { TITLES } from '../../standing/notice.ts'
import { isStanding } from '../../standing/standing-findings.ts'
import { actionForms } from '../actions/form.ts'
import type { PagePlace, ShowPage } from '../page.ts'
import { chosenStores, storeFilter } from '../parts/chosen.ts'
import { link, pathOf } from '../parts/data-table.ts'
import type { DataTable } from '../parts/data-table.ts'
import { filterForm } from '../parts/filter-form.ts'
import { statusCell } from '../parts/status.ts'
import { DEAD_LETTER } from './problem-links.ts'

/** One thing that is wrong, or was found: several of one cause have its code. */
interface Case {
  code: string
  store: string
  stream: string
  what: string
  since: string
  next: string
  isOpen: boolean
  /** Of a record that no table takes. */
  key: string
}

/** Everything that is wrong, by its cause. */
export const showProblems: ShowPage = async (place, request) => {
  const { named, stores } = chosenStores(request)
  const cases = await casesOf(place, stores, request.nowMs)
  const causes = [...Map.groupBy(cases, ({ code }) => code)].toSorted(
    ([, one], [, other]) => Number(other.some(isOpen)) - Number(one.some(isOpen)),
  )
  const open = causes.filter(([, of]) => of.some(isOpen))
  return {
    title: 'Problems',
    sentence:
      open.length === 0
        ? 'Nothing is wrong.'
        : `${countOf(open.length, 'cause')} of trouble, ${countOf(cases.filter(isOpen).length, 'case')} in all; the first: ${meaningOf(open[0]![0])}`,
    timeZone: 'UTC',
    parts: [filterForm('/problems', [storeFilter(request, named)]), causesTable(causes)],
    command: 'tillage status; tillage findings; tillage dead-letters list',
  }
}

const isOpen = (one: Case): boolean => one.isOpen

const causesTable = (causes: readonly (readonly [string, readonly Case[]])[]): DataTable => ({
  id: 'causes',
  title: 'By cause',
  columns: [
    { name: 'cause' },
    { name: 'now' },
    { name: 'cases', kind: 'number' },
    { name: 'stores' },
    { name: 'since (UTC)' },
    { name: 'means' },
    { name: 'next step' },
  ],
  rows: causes.map(([code, of]) => [
    link(pathOf('problems', code), code),
    statusCell(of.some(isOpen) ? 'failed' : 'not due', of.some(isOpen) ? 'open' : 'noted'),
    of.length,
    [...new Set(of.map(({ store }) => store))].filter(store => store !== '').join(', '),
    toMinute(
      of
        .map(({ since }) => since)
        .filter(since => since !== '')
        .toSorted()[0] ?? '',
    ),
    meaningOf(code),
    of.find(({ next }) => next !== '')?.next ?? '',
  ]),
  empty: 'Nothing was found, and nothing is missing.',
})

/** Each case of one cause. */
export const showProblem: ShowPage = async (place, request) => {
  const { params, nowMs } = request
  const code = params['code'] ?? ''
  const cases = (await casesOf(place, request.stores, nowMs)).filter(one => one.code === code)
  if (cases.length === 0) return undefined
  return {
    title: code,
    sentence: `${meaningOf(code)} ${countOf(cases.length, 'case')}, ${cases.filter(isOpen).length} of them open.`,
    timeZone: 'UTC',
    parts: [
      {
        id: 'cases',
        title: 'Each case',
        columns: [
          { name: 'store' },
          { name: 'list' },
          { name: 'now' },
          { name: 'what' },
          { name: 'since (UTC)' },
          { name: 'next step' },
        ],
        rows: cases.map(one => [
          one.store,
          one.stream,
          statusCell(one.isOpen ? 'failed' : 'not due', one.isOpen ? 'open' : 'noted'),
          one.code === UNPROVEN ? link(coverageOf(one), one.what) : one.what,
          toMinute(one.since),
          one.next,
        ]),
        empty: '',
      },
      actionForms(request, [
        ...readActions(cases, addDays(dayOf(nowMs, 'UTC'), -1)),
        ...letterActions(cases),
      ]),
      html`<p class="below"><a href="/problems">All problems</a></p>`,
    ],
    command: code === DEAD_LETTER ? 'tillage dead-letters list' : 'tillage status',
  }
}

/** More are done a list at a time, or at a terminal. */
const MOST_LETTERS = 10

/** Lists of several records first: what was mended once is loaded at once. */
function letterActions(cases: readonly Case[]): Wanted[] {
  const letters = cases.filter(({ code }) => code === DEAD_LETTER)
  const lists = [...Map.groupBy(letters, ({ store, stream }) => `${store} ${stream}`).values()]
  return [
    ...lists.flatMap(([one, other]): Wanted[] =>
      one === undefined || other === undefined
        ? []
        : [['replay-letters', { store: one.store, stream: one.stream }]],
    ),
    ...letters.slice(0, MOST_LETTERS).flatMap(({ store, stream, key }): Wanted[] => [
      ['replay-letter', { store, stream, key }],
      ['discard-letter', { store, stream, key }],
    ]),
  ]
}

/** Where a store could not be read: ask its API what is wrong, and read again once it is mended. */
function readActions(cases: readonly Case[], to: string): Wanted[] {
  const unread = cases.filter(({ next }) => next.includes('tillage sync'))
  return [...Map.groupBy(unread, ({ store }) => store)].flatMap(([store, of]): Wanted[] => [
    ['look-at-api', { store }],
    ...[...new Set(of.map(({ stream }) => stream))].map((stream): Wanted => [
      'read-again',
      { store, stream, from: addDays(to, -6), to },
    ]),
  ])
}

/** Which windows they are, and the reason of each. */
const coverageOf = ({ store, stream }: Case): string =>
  `/coverage?${new URLSearchParams({ store, stream }).toString()}`

type Wanted = readonly [name: string, values: Readonly<Record<string, string>>]

/** Of windows that were read, and lack their proof. */
const UNPROVEN = 'unproven'

function meaningOf(code: string): string {
  if (code === DEAD_LETTER) return 'Records that no table could take.'
  const title = (TITLES as Readonly<Record<string, string>>)[code]
  return title === undefined
    ? textOf({ code }).means
    : `${title[0]!.toUpperCase()}${title.slice(1)}.`
}

async function casesOf(
  place: PagePlace,
  stores: readonly string[],
  nowMs: number,
): Promise<Case[]> {
  const { worker } = place
  const isAll = stores.length === place.config.stores.length
  const database = withStandingsOnce(place.database)
  const everything = await readEverything(
    { ...place, database },
    { nowMs, worker, stores: isAll ? undefined : stores, countsRows: false },
  )
  const letters = await database.deadLetters.of(
    stores,
    streams.map(({ name }) => name),
  )
  const findings = (await Promise.all(stores.map(store => findingsOf(database, store)))).flat()
  return [
    ...noticesOf(everything)
      .filter(notice => needsPerson(notice) && notice.kind !== 'dead_letters')
      .map(ofNotice),
    ...letters.map(({ store, stream, key, reason, firstSeenAt }) => ({
      code: DEAD_LETTER,
      store,
      stream,
      what: `${key}: ${reason}`,
      key,
      since: firstSeenAt,
      next: `tillage dead-letters list --stream ${stream} --store ${store}`,
      isOpen: true,
    })),
    ...findings,
  ]
}

/** How the lists stand is what takes longest, and both notices and findings are judged by it. */
function withStandingsOnce(database: ReadOnlyDatabase): ReadOnlyDatabase {
  const known = new Map<string, ReturnType<ReadOnlyDatabase['ledger']['standings']>>()
  const standings = (store: string) => {
    const asked = known.get(store) ?? database.ledger.standings(store)
    known.set(store, asked)
    return asked
  }
  return { ...database, ledger: { ...database.ledger, standings } }
}

const ofNotice = ({ kind, store, stream, text, since, next }: Notice): Case => ({
  code: kind,
  store: store ?? '',
  stream: stream ?? '',
  what: text,
  since: since ?? '',
  next: next.map(({ command }) => command).join('; '),
  isOpen: true,
  key: '',
})

/** What an API does is worth knowing; what keeps a window from its proof is told by a notice. */
async function findingsOf(database: ReadOnlyDatabase, store: string): Promise<Case[]> {
  const standings = await database.ledger.standings(store)
  return (await database.findings.of(store)).map(found => ({
    code: found.code,
    store,
    stream: found.stream,
    what: `${found.detail}${isStanding(found, standingOf(standings, found.stream)) ? '' : ' (over)'}`,
    since: found.firstSeenAt,
    next: textOf(found).remedy,
    isOpen: false,
    key: '',
  }))
}
