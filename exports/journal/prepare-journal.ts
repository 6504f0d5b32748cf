import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PostedEntry, JournalPosting } from '../posting-history.ts'
import type { PreparedFile } from '../revisions/decide-revision.ts'
import type { ManifestDataset } from '../revisions/manifest.ts'
import { fingerprint } from '../revisions/publish.ts'
import type { Sale } from '../sales/sale.ts'
import { buildJournal } from './build-journal.ts'
import type { DayJournal } from './build-journal.ts'
import { reasonOf } from './checks.ts'
import type { JournalException } from './checks.ts'
import { decideEntries, settingsFor } from './decide-entries.ts'
import { addUp } from './entry.ts'
import type { JournalEntry, JournalLine } from './entry.ts'
import { EXCEPTIONS, TIE_OUT, writeExceptions, writeTieOuts } from './formats/exceptions.ts'
import { givenJournals, storeTexts } from './given-journals.ts'
import type { GivenJournals, PlaceOfDay } from './given-journals.ts'
import { standingClosing } from './held.ts'
import type { JournalDay, JournalOrder } from './journal-order.ts'
import { describeOutcome } from './journal-outcome.ts'
import type { JournalOutcome } from './journal-outcome.ts'
import { planFiles, postingOf } from './plan-journal-files.ts'
import type { PlannedFile } from './plan-journal-files.ts'
import { readAccepted } from './posted.ts'
import { differencesOf } from './revise.ts'
import type { AccountingSettings } from './settings.ts'
import { partsOf, writeFormat } from './write-formats.ts'
import type { JournalText } from './write-formats.ts'

export interface JournalDraft {
  /** Pseudo-streams of which nothing is carried over. */
  renewed: string[]
  /** Datasets of the formats that are written: of these nothing is carried over either. */
  replaced: string[]
  datasets: ManifestDataset[]
  files: (PreparedFile & { revision: number })[]
  /** To be remembered before the files are given out. */
  posting: JournalPosting | undefined
  /** Differences that somebody accepted: remembered with the posting. */
  accepted: JournalException[]
  /** Numbers of the entries that only files tell of. */
  fromFiles: readonly string[]
  /** More than that of the day's data where somebody restated it. */
  revision: number
  outcome: JournalOutcome
}

/** In the name of a file whose entries do not have all of their cost of goods. */
const COSTS_MISSING = 'costs-missing'
const CHECKS = 'journal_checks'
const JOURNAL = 'journal'

/**
 * Makes the files of one store and day: always the tie-out and the
 * exceptions, and the journal where it may be written.
 */
export async function prepareJournal(
  sales: readonly Sale[],
  asked: JournalOrder,
  day: JournalDay,
): Promise<JournalDraft> {
  const { order, given, settings, built } = await judgeDay(sales, asked, day)
  const { posted } = given
  const decided = decideEntries({ order, day, given, settings, built })
  const { entries } = decided
  const plan = built.held ? [] : planFiles({ order, day, given, entries })
  const checks = writeChecks(built)
  const journals = writeJournals(plan, order, day)
  return {
    renewed: [CHECKS],
    replaced: plan.flatMap(({ format }) => partsOf(format)),
    datasets: [
      ...checks.map(text => describe(text, CHECKS)),
      ...newestOf(journals).map(text => describe(text, JOURNAL)),
    ],
    files: [...checks.map(text => ({ ...text, revision: day.revision })), ...journals].map(text =>
      write(text, day.workFolder),
    ),
    posting: postingOf({ order, day, given, entries, plan, settings: decided.settings }),
    accepted: built.exceptions.filter(({ severity }) => severity === 'override'),
    fromFiles: given.inFiles.entries.map(({ number }) => number),
    revision: decided.revision,
    outcome: describeOutcome(built, entries, {
      posted: posted ?? [],
      byChart: () => chartDifferences(sales, order, settings, posted),
    }),
  }
}

/** What a day says now, beside what was posted of it. Writes nothing. */
export interface JudgedDay {
  order: JournalOrder
  given: GivenJournals
  /** Those that the day is posted by. */
  settings: AccountingSettings
  built: DayJournal
}

/** Builds a day's journal anew, by what was posted and accepted. */
export async function judgeDay(
  sales: readonly Sale[],
  asked: JournalOrder,
  day: PlaceOfDay,
): Promise<JudgedDay> {
  const order = { ...asked, closing: asked.closing ?? standingClosing(day.newest) }
  const given = await givenJournals(day, order.settings)
  const settings = settingsFor(order, given.posted)
  const built = await buildAgain(sales, { ...order, settings }, day, given.posted ?? [])
  return { order, given, settings, built }
}

/** The same entries for each importer; the name of a file says that costs are missing in it. */
const writeJournals = (
  plan: readonly PlannedFile[],
  order: JournalOrder,
  day: JournalDay,
): (JournalText & { revision: number; mark?: string })[] =>
  plan.flatMap(({ format, revision, entries }) => {
    const store = storeTexts(day.store, order.settings, order.currency)
    const mark = entries.some(({ note }) => note !== undefined) ? { mark: COSTS_MISSING } : {}
    return writeFormat(format, { storeKey: order.storeKey, store, entries }).map(text => ({
      ...text,
      revision,
      ...mark,
    }))
  })

/** What today's settings would post otherwise. */
function chartDifferences(
  sales: readonly Sale[],
  order: JournalOrder,
  used: AccountingSettings,
  posted: readonly PostedEntry[] | undefined,
): JournalLine[] {
  if (posted === undefined || order.restateReason !== undefined) return []
  // A file without entries has none to tell by which settings it was made.
  const isKnown = posted.at(-1)?.settings !== undefined
  if (isKnown && JSON.stringify(used) === JSON.stringify(order.settings)) return []
  const { lines, held } = buildJournal({ ...order, sales })
  return held ? [] : differencesOf(lines, posted)
}

function writeChecks(built: DayJournal): JournalText[] {
  const csv = { extension: 'csv', sums: {} } as const
  return [
    {
      ...csv,
      dataset: EXCEPTIONS,
      text: writeExceptions(built.exceptions),
      rows: built.exceptions.length,
    },
    { ...csv, dataset: TIE_OUT, text: writeTieOuts(built.tieOuts), rows: built.tieOuts.length },
  ]
}

/** A manifest describes a dataset once, as its newest file has it. */
function newestOf<Text extends JournalText & { revision: number }>(texts: readonly Text[]): Text[] {
  return texts.filter(
    text => !texts.some(one => one.dataset === text.dataset && one.revision > text.revision),
  )
}

/**
 * A day of which somebody accepted a difference stays as it is without a new warning, as long as
 * it is the same difference.
 */
async function buildAgain(
  sales: readonly Sale[],
  order: JournalOrder,
  { newest, history, store, businessDate }: PlaceOfDay,
  posted: readonly JournalEntry[],
): Promise<DayJournal> {
  const built = buildJournal({ ...order, sales })
  if (!built.held) return built
  const remembered = await history.accepted(store, businessDate)
  // Days that were accepted before the database remembered that.
  const accepted = remembered.length > 0 ? remembered : readAccepted(newest)
  const reason = accepted.map(reasonOf).find(one => one !== undefined)
  if (reason === undefined) return built
  const again = buildJournal({ ...order, sales, suspenseReason: reason })
  const isNew = ({ severity, transactionId, detail }: JournalException): boolean =>
    severity === 'override' &&
    !accepted.some(one => one.transactionId === transactionId && one.detail === detail)
  const standing = posted.flatMap(({ lines }) =>
    lines.map(line => ({ ...line, amount: -line.amount })),
  )
  return again.exceptions.some(isNew) || addUp([...again.lines, ...standing]).length > 0
    ? built
    : again
}

function describe({ dataset, rows, sums }: JournalText, stream: string): ManifestDataset {
  return { dataset, stream, rowsOf: 'range', rows, order: [], columns: [], masked: [], sums }
}

function write(
  {
    dataset,
    extension,
    text,
    rows,
    revision,
    mark,
  }: JournalText & {
    revision: number
    mark?: string
  },
  workFolder: string,
): PreparedFile & { revision: number } {
  const preparedPath = join(workFolder, `${dataset}_r${revision}.${extension}`)
  writeFileSync(preparedPath, text)
  return {
    preparedPath,
    dataset,
    format: extension,
    rows,
    revision,
    ...(mark === undefined ? {} : { mark }),
    ...fingerprint(preparedPath),
  }
}
