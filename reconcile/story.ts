import { toMinute } from '../calendar/days.ts'
import { receiptPath, receiptsFolder } from '../outbound/receipt.ts'
import { countLines, countRooms, describeWorth } from './plan.ts'
import type { PlanDocument } from './plan.ts'
import type { RememberedPlan } from './remembered.ts'

/** What happened, in order: from the count to the receipt. */
export interface StoryLine {
  at: string
  event: string
  by: string | null
  detail: string
}

type Told = Pick<RememberedPlan, 'document' | 'path' | 'events' | 'receipts'>

/** Looks in between that tell nobody anything. */
const QUIET: ReadonlySet<string> = new Set(['retry begins'])

export function describeHistory(remembered: Told): StoryLine[] {
  const { document, path: documentPath } = remembered
  const events = remembered.events
    .filter(({ event }) => !QUIET.has(event))
    .map(({ op, at, event, by, detail }): StoryLine => {
      const where = document.operations.find(one => one.op_id === op)
      const place = where === undefined ? '' : `${where.room} (${where.op_id})`
      return { at, event, by, detail: [place, detail].filter(text => text !== '').join(': ') }
    })
  const receipts = remembered.receipts.map((receipt): StoryLine => {
    const { seq, op } = receipt
    const path = receiptPath(receiptsFolder(documentPath), receipt)
    const last = remembered.events.findLast(event => event.op === op)
    const detail = `receipt ${seq} of ${op}: ${path}`
    return { at: last?.at ?? document.createdAt, event: 'receipt', by: null, detail }
  })
  return [...begin(document), ...events, ...receipts].toSorted(
    (one, other) => Date.parse(one.at) - Date.parse(other.at),
  )
}

function begin(document: PlanDocument): StoryLine[] {
  const people = [...new Set(document.counters.flatMap(({ people: names }) => names))]
  const times = document.lines.map(({ counted_at: at }) => at).toSorted()
  const counted: StoryLine[] =
    times.length === 0
      ? []
      : [
          {
            at: times.at(-1)!,
            event: 'counted',
            by: people.join(', '),
            detail: `${countLines(document.lines.length)}, from ${toMinute(times[0]!)} on`,
          },
        ]
  const changed = document.lines.filter(({ delta }) => delta !== '0').length
  const planned: StoryLine = {
    at: document.createdAt,
    event: 'planned',
    by: null,
    detail:
      `${countLines(changed)} ${changed === 1 ? 'changes' : 'change'} in ` +
      `${countRooms(document.operations.length)}, ` +
      `worth ${describeWorth(document)}; ` +
      `${document.requiredApprovals === 2 ? 'two approvals' : 'one approval'} needed`,
  }
  return [...counted, planned]
}

const SENTENCES: Readonly<Record<string, (line: StoryLine) => string>> = {
  counted: ({ by, detail }) => `${by} counted ${detail}.`,
  planned: ({ detail }) => `The plan was made: ${detail}.`,
  approved: ({ by, detail }) => `${by} (${detail}) approved it.`,
  restored: ({ detail }) => `The database was restored ${detail}.`,
  sent: ({ detail }) => `${detail} was written down to be sent.`,
  looked: ({ detail }) => `Right before, ${detail}.`,
  confirmed: ({ by, detail }) =>
    by === null ? `The API took ${detail}.` : `${by} confirmed ${detail}.`,
  unclear: ({ detail }) => `Nobody knew what became of ${detail}.`,
  searched: ({ detail }) => `The history was searched for ${detail}.`,
  found: ({ detail }) => `The history shows ${detail}.`,
  parked: ({ detail }) => `Parked for a person: ${detail}.`,
  rejected: ({ detail }) => `The API refused ${detail}.`,
  'not taken': ({ detail }) => `The API did not take ${detail}.`,
  'sent again': ({ by, detail }) =>
    by === null ? `Sent again: ${detail}.` : `${by} had it sent again: ${detail}.`,
  'resolved as confirm': ({ by, detail }) => `${by} says that it was taken: ${detail}.`,
  'resolved as retry': ({ by, detail }) => `${by} wants it sent again: ${detail}.`,
  'resolved as abandon': ({ by, detail }) => `${by} wants it given up: ${detail}.`,
  stale: ({ detail }) => `Not sent, ${detail}.`,
  'changes asked': ({ by, detail }) => `${by} asked for changes: ${detail}.`,
  'request withdrawn': ({ by }) => `${by} withdrew the request for changes.`,
  discarded: ({ by, detail }) => `${by} discarded the plan: ${detail}.`,
  abandoned: ({ by, detail }) => `${by} gave up ${detail}.`,
  verified: ({ detail }) => `The quantities were read again and compared: ${detail}.`,
  receipt: ({ detail }) => `Kept: ${detail}.`,
}

/** The same in sentences, for people. */
export const inSentences = (story: readonly StoryLine[]): string[] =>
  story.map(line => {
    const sentenceOf = SENTENCES[line.event]
    const { by, event, detail } = line
    const text =
      sentenceOf === undefined ? `${by ?? ''} ${event} ${detail}`.trim() : sentenceOf(line)
    // What people and the API wrote may end with a period of its own.
    return `${line.at.slice(0, 19).replace('T', ' ')}  ${text.replace(/\.+$/, '.')}`
  })
