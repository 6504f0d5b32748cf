import type { ReadContext } from './context.ts'
import type { Deletions } from './deletions.ts'
import type { FinalVerdict, Reading } from './reading.ts'

/** What the ledger keeps of a window that was read, besides its status. */
export type Evidence = Readonly<Record<string, unknown>>

/** Why the window is proven or not, how it was read, and what that depends on. */
export async function buildEvidence(
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
