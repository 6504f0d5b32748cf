import type { JournalPosting } from '../posting-history.ts'
import type { JournalEntry } from './entry.ts'
import { filesOfFormat } from './given-journals.ts'
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
      filesOfFormat(day.newest, format).present.length > 0 ||
      (isReissue && given.revisionsOf(format).length > 0),
  ).flatMap(format => planFormat(format, all, plan))
}

/** Of the files of one format, those that are new, or not in the folder. */
function planFormat(
  format: JournalFormat,
  all: readonly JournalEntry[],
  { day, given, entries }: PlanOrder,
): PlannedFile[] {
  const known = given.revisionsOf(format)
  const added = newRevision(known, all, day)
  const revisions = added === undefined ? known : [...known, added]
  const { present, lost } = filesOfFormat(day.newest, format)
  const isThere = (one: number): boolean =>
    lost.length === 0 && present.some(({ revision }) => revision >= one)
  // What only files tell of was written by them: nobody could write it again.
  const isMissing = (one: number): boolean =>
    !given.inFiles.files.some(file => file.format === format && file.revision === one) &&
    !isThere(one)
  return revisions
    .map((revision, index) => {
      const told = revisions[index - 1] ?? -1
      const since = all.filter(entry => entry.revision > told && entry.revision <= revision)
      return { format, revision, entries: since }
    })
    .filter(
      ({ revision, entries: told }) =>
        revision === added || isMissing(revision) || told.some(one => entries.includes(one)),
    )
}

/** The number of a file for what no earlier one tells of; undefined where there is nothing. */
function newRevision(
  known: readonly number[],
  all: readonly JournalEntry[],
  day: JournalDay,
): number | undefined {
  const latest = Math.max(...all.map(({ revision }) => revision))
  const last = known.at(-1)
  if (last === undefined) return Math.max(day.revision, latest)
  return latest > last ? latest : undefined
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
  const { inFiles } = given
  if (plan.length === 0 && entries.length === 0 && inFiles.entries.length === 0) return undefined
  return {
    entries: [...inFiles.entries, ...entries.map(entry => ({ ...entry, settings }))],
    files: [...inFiles.files, ...plan.map(({ format, revision }) => ({ format, revision }))],
    reason: order.restateReason ?? order.suspenseReason,
    reissued: order.reissuedBy,
    at: day.businessDate,
  }
}
