import type { JournalPosting } from '../memory.ts'
import type { JournalEntry } from './entry.ts'
import { filesOf } from './given-journals.ts'
import type { GivenJournals } from './given-journals.ts'
import type { JournalDay, JournalOrder } from './journal-order.ts'
import { JOURNAL_FORMATS } from './settings.ts'
import type { AccountingSettings, JournalFormat } from './settings.ts'

export interface PlannedFile {
  format: JournalFormat
  revision: number
  entries: readonly JournalEntry[]
}

/** What a day's files are planned by. */
interface PlanOrder {
  order: JournalOrder
  day: JournalDay
  given: GivenJournals
  /** What is posted now. */
  entries: readonly JournalEntry[]
}

/**
 * A format's first file tells of everything that was posted so far: whoever asks for it only then
 * has imported nothing. Each later one tells of what came since. Where the folder does not have all
 * of a format's files, they are written as they were given out.
 */
export function planFiles(plan: PlanOrder): PlannedFile[] {
  const { order, day, given, entries } = plan
  const renamed = new Set(entries.map(({ number }) => number))
  const posted = given.posted ?? []
  const all = [...posted.filter(({ number }) => !renamed.has(number)), ...entries]
  // What is written again is so for each importer that has it, wherever its files lie.
  const isReissue = posted.some(({ number }) => renamed.has(number))
  return JOURNAL_FORMATS.filter(
    format =>
      format === 'generic' ||
      order.formats.includes(format) ||
      filesOf(day.newest, format).present.length > 0 ||
      (isReissue && given.revisionsOf(format).length > 0),
  ).flatMap(format => planFormat(format, all, plan))
}

/** Of the files of one format, those that are new, or not in the folder. */
function planFormat(
  format: JournalFormat,
  all: readonly JournalEntry[],
  { day, given, entries }: PlanOrder,
): PlannedFile[] {
  const latest = Math.max(...all.map(entry => entry.revision))
  const known = given.revisionsOf(format)
  const { present, lost } = filesOf(day.newest, format)
  const isNew = known.length === 0 || latest > known.at(-1)!
  const revisions = isNew
    ? [...known, known.length === 0 ? Math.max(day.revision, latest) : latest]
    : known
  const isThere = (one: number): boolean =>
    lost.length === 0 && present.some(({ revision }) => revision >= one)
  const wanted = (one: number): boolean =>
    entries.some(entry => entry.revision === one) ||
    ((!given.fromFiles || !known.includes(one)) && !isThere(one))
  return revisions.flatMap((one, index): PlannedFile[] => {
    const after = revisions[index - 1] ?? -1
    const since = all.filter(entry => entry.revision > after && entry.revision <= one)
    return wanted(one) || (isNew && one === revisions.at(-1))
      ? [{ format, revision: one, entries: since }]
      : []
  })
}

/** What is to be remembered of the entries and the files; undefined where nothing is. */
export function postingOf({
  order,
  day,
  given,
  entries,
  plan,
  settings,
}: PlanOrder & {
  plan: readonly PlannedFile[]
  settings: AccountingSettings
}): JournalPosting | undefined {
  if (plan.length === 0 && entries.length === 0) return undefined
  const adopted = given.fromFiles ? (given.posted ?? []) : []
  const known = given.fromFiles
    ? JOURNAL_FORMATS.flatMap(format =>
        given.revisionsOf(format).map(revision => ({ format, revision })),
      )
    : []
  return {
    entries: [...adopted, ...entries.map(entry => ({ ...entry, settings }))],
    files: [...known, ...plan.map(({ format, revision }) => ({ format, revision }))],
    reason: order.restateReason ?? order.suspenseReason,
    reissued: order.reissuedBy,
    at: day.businessDate,
  }
}
