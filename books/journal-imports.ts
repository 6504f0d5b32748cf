import type { PostingAct } from '../connectors/destination/given-out.ts'
import type { JournalEntry } from '../exports/journal/entry.ts'

/** A revision of a day's journal that somebody has to import, and the act that says it was. */
export interface JournalImport {
  revision: number
  posted: PostingAct | null
}

/** What of a day is to be imported, oldest first; an entry without lines is nothing to import. */
export function importsOf(
  entries: readonly JournalEntry[],
  acts: readonly PostingAct[],
): JournalImport[] {
  const written = entries.filter(({ lines }) => lines.length > 0).map(({ revision }) => revision)
  return [...new Set(written)]
    .toSorted((a, b) => a - b)
    .map(revision => ({ revision, posted: standingAct(acts, revision) ?? null }))
}

/** What counts of all that was said of one day's revision. */
export function standingAct(acts: readonly PostingAct[], revision: number): PostingAct | undefined {
  const last = acts.findLast(act => act.revision === revision)
  return last?.event === 'posted' ? last : undefined
}
