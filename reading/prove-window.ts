import { toIso } from '../calendar/days.ts'
import type { Interval } from '../calendar/days.ts'
import { split } from '../calendar/windows.ts'
import type { WindowStatus } from '../connectors/destination/coverage.ts'
import type { ReadContext } from './context.ts'
import { NO_DELETIONS, findDeletions } from './deletions.ts'
import type { Deletions } from './deletions.ts'
import { readDays } from './read-days.ts'
import type { ReadDays } from './read-days.ts'
import { readLists } from './read-window.ts'
import { awaitPages, handOverPage } from './reading.ts'
import type { FinalVerdict, Reading } from './reading.ts'

/** What became of a window: to be committed as it stands, or to be read in halves. */
export type ReadOutcome =
  | { status: WindowStatus; evidence: Evidence; deleted: readonly string[] }
  | { status: 'split'; halves: readonly Interval[] }

/**
 * Reads one window until it is proven or given up. Its pages are staged under the reading's id; to
 * commit or to discard them is up to the caller. Throws what stopped it; call again with the same
 * reading.
 */
export async function proveWindow(context: ReadContext, reading: Reading): Promise<ReadOutcome> {
  const { store, stream, window, destination } = context
  // Before the first page: what a neighbouring window brings meanwhile is not missed by this one.
  reading.since ??= await destination.rows.lastReading()
  const expected = await destination.rows.expected(store, stream, window)
  const { verdict, wire, calendar } = await readAll(context, reading)
  await keepFacts(context, reading)
  const halves = decideSplit(context, reading, verdict)
  if (halves !== undefined) return { status: 'split', halves }
  const deletions =
    verdict.status === 'proven' ? await findDeletions(context, reading, expected) : NO_DELETIONS
  for (const page of deletions.moved) await handOverPage(context, reading, page)
  await awaitPages(reading)
  return {
    status: deletions.doubt === undefined ? verdict.status : 'unproven',
    evidence: await buildEvidence({ ...context, wire, calendar }, reading, verdict, deletions),
    deleted: deletions.deleted,
  }
}

/** Lists of each value of a parent take no days; a list of its own may. */
async function readAll(context: ReadContext, reading: Reading): Promise<ReadDays> {
  const { windowing, parent } = context.stream
  if (windowing === 'days' && parent === undefined) return readDays(context, reading)
  const verdict = await readLists(context, reading)
  return { verdict, wire: context.wire, calendar: undefined }
}

/** What was learned of the list spares the next run what it cost this one. */
async function keepFacts(
  { store, stream, destination, now }: ReadContext,
  { facts }: Reading,
): Promise<void> {
  const seen = { stream: stream.name, seenAt: toIso(now()) }
  const news = facts.splice(0).map(fact => ({ ...fact, ...seen }))
  if (news.length > 0) await destination.behaviours.keep(store, news)
}

/** A list that moves is read in halves; where no row was seen, no smaller window shows more. */
function decideSplit(
  { stream, window, timeZone }: ReadContext,
  { staged }: Reading,
  verdict: FinalVerdict,
): readonly Interval[] | undefined {
  const isMoving = verdict.status === 'unproven' && verdict.reason === 'moving'
  const sawRows = staged.some(rows => rows.length > 0)
  return isMoving && sawRows ? split(window, timeZone, stream.windowing) : undefined
}

/** What the ledger keeps of a window that was read, besides its status. */
export type Evidence = Readonly<Record<string, unknown>>

/** Why the window is proven or not, how it was read, and what that depends on. */
async function buildEvidence(
  context: ReadContext & { calendar: string | undefined },
  reading: Reading,
  verdict: FinalVerdict,
  { deleted, doubt }: Deletions,
): Promise<Evidence> {
  return {
    ...(doubt === undefined ? ruleOrReason(verdict) : { reason: doubt }),
    ...readingEvidence(context, reading),
    ...(context.calendar === undefined ? {} : { calendar: context.calendar }),
    ...(await parentEvidence(context, reading)),
    ...(deleted.length > 0 ? { gone: deleted.length } : {}),
  }
}

const ruleOrReason = (verdict: FinalVerdict): Evidence =>
  verdict.status === 'proven' ? { by: verdict.by } : { reason: verdict.reason }

/** How the list was read: of the pass that was judged; of many lists, of all of theirs. */
export function readingEvidence(
  { endpoint, wire }: Pick<ReadContext, 'endpoint' | 'wire'>,
  reading: Reading,
): Evidence {
  const { stream } = endpoint
  const judged = stream.parent === undefined ? reading.passes.slice(-1) : reading.passes
  const pages = judged.flatMap(pass => pass.pages)
  const ids = new Set(pages.flatMap(({ rows }) => rows.map(({ id }) => id)))
  return {
    passes: reading.passes.length,
    requests: reading.requests,
    pages: pages.length,
    rows: ids.size,
    total: sumOfTotals(judged.map(pass => pass.pages.at(-1)?.total ?? null)),
    asked: { ...wire.query, offset: endpoint.offsetParameter },
    envelope: reading.envelope ?? null,
  }
}

const sumOfTotals = (totals: readonly (number | null)[]): number | null =>
  totals.length === 0 || totals.includes(null)
    ? null
    : totals.reduce<number>((sum, total) => sum + total!, 0)

/** Which lists there are is known from another stream, as far as that one is proven. */
async function parentEvidence(
  { store, stream: { parent }, destination }: ReadContext,
  { lists }: Reading,
): Promise<Evidence> {
  if (parent === undefined) return {}
  const span = await destination.ledger.provenSpan(store, parent.stream)
  return { parent: { stream: parent.stream, values: lists.size, ...span } }
}
