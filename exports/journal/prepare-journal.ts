import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../../errors.ts'
import { amountText } from '../books/amount.ts'
import type { Sale } from '../books/sale.ts'
import type { ManifestDataset } from '../manifest.ts'
import type { PostedEntry, JournalPosting } from '../memory.ts'
import { fingerprint } from '../publish.ts'
import type { PreparedFile } from '../publish.ts'
import { buildJournal } from './build-journal.ts'
import type { DayJournal } from './build-journal.ts'
import { reasonOf } from './checks.ts'
import type { JournalException, TieOutRow } from './checks.ts'
import type { Figures } from './closing.ts'
import { addUp } from './entry.ts'
import type { JournalEntry, JournalLine } from './entry.ts'
import { EXCEPTIONS, TIE_OUT, writeExceptions, writeTieOuts } from './formats/exceptions.ts'
import { givenJournals, storeTexts, withTexts } from './given-journals.ts'
import type { PlaceOfDay } from './given-journals.ts'
import { planFiles, postingOf } from './plan-journal-files.ts'
import type { PlannedFile } from './plan-journal-files.ts'
import { readAccepted } from './posted.ts'
import { differencesOf, reviseJournal } from './revise.ts'
import type { AccountingSettings, JournalFormat } from './settings.ts'
import { totalsOf, writeFormat } from './write-formats.ts'
import type { JournalText } from './write-formats.ts'

/** What a journal needs to know besides its transactions. Survives being sent to a thread. */
export interface JournalOrder {
  settings: AccountingSettings
  formats: readonly JournalFormat[]
  storeKey: string
  /** The business day on which this runs. */
  today: string
  deadLetters: number
  withoutDay?: readonly string[]
  closing?: Figures | undefined
  suspenseReason?: string | undefined
  /** Why a day that stands is posted again by today's settings. */
  restateReason?: string | undefined
  /** Who says that nothing was imported yet: the same posting is written with today's texts. */
  reissuedBy?: string | undefined
}

/** How it went, for the person who asked. */
export interface JournalOutcome {
  /** Something does not tie out: no journal was written, the exceptions and the tie-out say why. */
  held: boolean
  /** The entries of this revision; none if what was posted before still stands. */
  entries: {
    number: string
    kind: JournalEntry['kind']
    date: string
    debit: string
    credit: string
  }[]
  /** What today's settings would post otherwise, of a day whose data did not change. */
  chartDifferences: { account: string; amount: string }[]
  /** What would be posted, by account; debits positive. */
  accounts: { account: string; amount: string }[]
  exceptions: JournalException[]
  tieOuts: TieOutRow[]
}

export interface JournalDraft {
  /** Pseudo-streams of which nothing is carried over. */
  renewed: string[]
  datasets: ManifestDataset[]
  files: (PreparedFile & { revision: number })[]
  /** To be remembered before the files are given out. */
  posting: JournalPosting | undefined
  /** Differences that somebody accepted: remembered with the posting. */
  accepted: JournalException[]
  /** More than that of the day's data where somebody restated it. */
  revision: number
  outcome: JournalOutcome
}

export interface JournalDay extends PlaceOfDay {
  /** The folder where files are prepared. */
  workFolder: string
  /** The number of the day's state. */
  revision: number
}

/** In the name of a file whose entries do not have all of their cost of goods. */
const COSTS_MISSING = 'costs-missing'
const CHECKS = 'journal_checks'
const JOURNAL = 'journal'

/**
 * Makes the files of one store and day (`sales` may be read twice): always the tie-out and the
 * exceptions, and the journal where it may be written.
 */
export function prepareJournal(
  sales: () => Iterable<{ sale: Sale }>,
  order: JournalOrder,
  day: JournalDay,
): JournalDraft {
  const given = givenJournals(day, order.settings)
  const { posted } = given
  const settings = settingsFor(order, posted)
  const built = buildAgain(sales, { ...order, settings }, day, posted ?? [])
  const wanted = { order, day, posted, settings, built, revision: revisionFor(order, day, posted) }
  const { entries, isReissued } = built.held ? NO_ENTRIES : entriesFor(wanted)
  const plan = built.held ? [] : planFiles({ order, day, given, entries })
  const checks = writeChecks(built)
  const journals = writeJournals(plan, order, day)
  return {
    renewed: [CHECKS],
    datasets: [
      ...checks.map(text => describe(text, CHECKS)),
      ...newestOf(journals).map(text => describe(text, JOURNAL)),
    ],
    files: [...checks.map(text => ({ ...text, revision: day.revision })), ...journals].map(text =>
      write(text, day.workFolder),
    ),
    posting: postingOf({ order, day, given, entries, plan, settings }),
    accepted: built.exceptions.filter(({ severity }) => severity === 'override'),
    revision: entries.length > 0 && !isReissued ? wanted.revision : day.revision,
    outcome: describeOutcome(built, entries, () =>
      chartDifferences(sales, order, settings, posted),
    ),
  }
}

const NO_ENTRIES = { entries: [], isReissued: false }

/** The same entries for each importer; the name of a file says that costs are missing in it. */
const writeJournals = (
  plan: readonly PlannedFile[],
  order: JournalOrder,
  day: JournalDay,
): (JournalText & { revision: number; mark?: string })[] =>
  plan.flatMap(({ format, revision, entries }) => {
    const store = storeTexts(day.store, order.settings)
    const mark = entries.some(({ note }) => note !== undefined) ? { mark: COSTS_MISSING } : {}
    return writeFormat(format, { storeKey: order.storeKey, store, entries }).map(text => ({
      ...text,
      revision,
      ...mark,
    }))
  })

const describeOutcome = (
  built: DayJournal,
  entries: readonly JournalEntry[],
  differences: () => JournalOutcome['chartDifferences'],
): JournalOutcome => ({
  held: built.held,
  entries: entries.map(entry => ({
    number: entry.number,
    kind: entry.kind,
    date: entry.date,
    ...totalsOf([entry]),
  })),
  chartDifferences: built.held ? [] : differences(),
  accounts: byAccount(built.lines),
  exceptions: built.exceptions,
  tieOuts: built.tieOuts,
})

/**
 * A day is posted again by the settings that it was posted by: a changed chart is no change of the
 * day. Ways to pay and taxes that had no account then have those of today.
 */
function settingsFor(
  { settings, restateReason }: JournalOrder,
  posted: readonly PostedEntry[] | undefined,
): AccountingSettings {
  const then = posted?.at(-1)?.settings
  if (then === undefined || restateReason !== undefined) return settings
  return {
    ...settings,
    accounts: then.accounts,
    missingCosts: settings.missingCosts === 'flag' ? 'flag' : (then.missingCosts ?? 'flag'),
    byCategory: then.byCategory,
    byConsumerType: then.byConsumerType,
    tenders: { ...settings.tenders, ...then.tenders },
    taxes: { ...settings.taxes, ...then.taxes },
  }
}

/** A number of its own for a restatement of a state that has a posting already. */
function revisionFor(
  { restateReason }: JournalOrder,
  { revision }: JournalDay,
  posted: readonly PostedEntry[] | undefined,
): number {
  const last = Math.max(-1, ...(posted ?? []).map(entry => entry.revision))
  return restateReason === undefined ? revision : Math.max(revision, last + 1)
}

interface Wanted {
  order: JournalOrder
  day: JournalDay
  posted: readonly PostedEntry[] | undefined
  settings: AccountingSettings
  built: DayJournal
  revision: number
}

/** What is posted now; or the last entry once more, where a person says that nothing was imported. */
function entriesFor(wanted: Wanted): { entries: JournalEntry[]; isReissued: boolean } {
  const { order, day, built, posted } = wanted
  const changes = changesFor(wanted)
  const isChanged = changes.some(({ lines }) => lines.length > 0) || posted === undefined
  const reissued = reissue(order, day, built, posted)
  return {
    entries: isChanged ? changes : reissued,
    isReissued: reissued.length > 0,
  }
}

function changesFor({ order, day, posted, settings, built, revision }: Wanted): JournalEntry[] {
  const last = Math.max(-1, ...(posted ?? []).map(entry => entry.revision))
  // The state that was posted is still the state: whatever differs now, the settings made it.
  if (posted !== undefined && last >= revision) return []
  return reviseJournal(
    {
      businessDate: day.businessDate,
      store: storeTexts(day.store, settings),
      lines: built.lines,
      note: noteOf(built),
      revision,
      today: order.today,
      periodClosedThrough: settings.periodClosedThrough,
    },
    posted,
  )
}

function noteOf({ missingCosts }: DayJournal): string | undefined {
  if (missingCosts === 0) return undefined
  return `without the cost of ${missingCosts} ${missingCosts === 1 ? 'line' : 'lines'}`
}

/** The last entry once more, with what importers call its accounts and its store today. */
function reissue(
  { reissuedBy, settings }: JournalOrder,
  { store }: JournalDay,
  { lines }: DayJournal,
  posted: readonly PostedEntry[] | undefined,
): JournalEntry[] {
  const last = posted?.at(-1)
  if (reissuedBy === undefined || last === undefined) return []
  if (differencesOf(lines, posted!).length > 0)
    throw new UsageError(
      'the day would be posted otherwise, not only be called otherwise',
      'Post it again: --restate --reason TEXT',
    )
  return [withTexts(last, settings, storeTexts(store, settings))]
}

/** What today's settings would post otherwise. */
function chartDifferences(
  sales: () => Iterable<{ sale: Sale }>,
  { settings, deadLetters, closing, suspenseReason, restateReason }: JournalOrder,
  used: AccountingSettings,
  posted: readonly PostedEntry[] | undefined,
): JournalOutcome['chartDifferences'] {
  if (posted === undefined || restateReason !== undefined) return []
  if (posted.at(-1)!.settings !== undefined && JSON.stringify(used) === JSON.stringify(settings))
    return []
  const question = { settings, deadLetters, closing, suspenseReason }
  const { lines, held } = buildJournal({ ...question, sales: only(sales()) })
  return held ? [] : byAccount(differencesOf(lines, posted))
}

function byAccount(lines: readonly JournalLine[]): { account: string; amount: string }[] {
  const sums = new Map<string, bigint>()
  for (const { account, amount } of lines) {
    const name = account.code === account.name ? account.name : `${account.code} ${account.name}`
    sums.set(name, (sums.get(name) ?? 0n) + amount)
  }
  return [...sums]
    .filter(([, amount]) => amount !== 0n)
    .map(([account, amount]) => ({ account, amount: amountText(amount) }))
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
 * A day of which somebody accepted a difference stays as it is without being told again, as long as
 * it is the same difference.
 */
function buildAgain(
  sales: () => Iterable<{ sale: Sale }>,
  { settings, deadLetters, withoutDay, closing, suspenseReason }: JournalOrder,
  { newest, memory, store, businessDate }: JournalDay,
  posted: readonly JournalEntry[],
): DayJournal {
  const question = { settings, deadLetters, withoutDay, closing, suspenseReason }
  const built = buildJournal({ ...question, sales: only(sales()) })
  if (!built.held) return built
  const remembered = memory.accepted(store, businessDate)
  // Days that were accepted before the database remembered that.
  const accepted = remembered.length > 0 ? remembered : readAccepted(newest)
  const reason = accepted.map(reasonOf).find(one => one !== undefined)
  if (reason === undefined) return built
  const again = buildJournal({ ...question, sales: only(sales()), suspenseReason: reason })
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

function* only(booked: Iterable<{ sale: Sale }>): Generator<Sale> {
  for (const { sale } of booked) yield sale
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
