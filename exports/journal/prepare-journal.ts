import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../../errors.ts'
import { amountText } from '../books/amount.ts'
import type { Sale } from '../books/sale.ts'
import type { ManifestDataset } from '../manifest.ts'
import type { PostedEntry, Posting } from '../memory.ts'
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
import { givenJournals, isInFolder, storeTexts, withTexts } from './given-journals.ts'
import type { GivenJournals, PlaceOfDay } from './given-journals.ts'
import { readAccepted } from './posted.ts'
import { differencesOf, reviseJournal } from './revise.ts'
import { JOURNAL_FORMATS } from './settings.ts'
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
  posting: Posting | undefined
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
  const accepted = built.exceptions.filter(({ severity }) => severity === 'override')
  const revision = revisionFor(order, day, posted)
  const reissued = built.held ? [] : reissue(order, day, built, posted)
  const changes = built.held
    ? []
    : entriesFor({ order, day, posted, settings, lines: built.lines, revision })
  const changed = changes.some(({ lines }) => lines.length > 0) || posted === undefined
  const entries = changed && !built.held ? changes : reissued
  const plan = built.held ? [] : planFiles({ order, day, given, entries })
  const checks = writeChecks(built)
  const journals = plan.flatMap(file =>
    writeFormat(file.format, {
      storeKey: order.storeKey,
      store: storeTexts(day.store, order.settings),
      entries: file.entries,
    }).map(text => ({ ...text, revision: file.revision })),
  )
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
    accepted,
    revision: entries.length > 0 && reissued.length === 0 ? revision : day.revision,
    outcome: {
      held: built.held,
      entries: entries.map(entry => ({
        number: entry.number,
        kind: entry.kind,
        date: entry.date,
        ...totalsOf([entry]),
      })),
      chartDifferences: built.held ? [] : chartDifferences(sales, order, settings, posted),
      accounts: byAccount(built.lines),
      exceptions: built.exceptions,
      tieOuts: built.tieOuts,
    },
  }
}

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
  lines: readonly JournalLine[]
  revision: number
}

function entriesFor({ order, day, posted, settings, lines, revision }: Wanted): JournalEntry[] {
  const last = Math.max(-1, ...(posted ?? []).map(entry => entry.revision))
  // The state that was posted is still the state: whatever differs now, the settings made it.
  if (posted !== undefined && last >= revision) return []
  return reviseJournal(
    {
      businessDate: day.businessDate,
      store: storeTexts(day.store, settings),
      lines,
      revision,
      today: order.today,
      periodClosedThrough: settings.periodClosedThrough,
    },
    posted,
  )
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

interface PlannedFile {
  format: JournalFormat
  revision: number
  entries: readonly JournalEntry[]
}

/**
 * A format's first file tells of everything that was posted so far: whoever asks for it only then
 * has imported nothing. Each later one tells of what came since. Files that the folder does not have
 * are written as they were given out.
 */
function planFiles({
  order,
  day,
  given,
  entries,
}: {
  order: JournalOrder
  day: JournalDay
  given: GivenJournals
  entries: readonly JournalEntry[]
}): PlannedFile[] {
  const renamed = new Set(entries.map(({ number }) => number))
  const all = [...(given.posted ?? []).filter(({ number }) => !renamed.has(number)), ...entries]
  const latest = Math.max(...all.map(entry => entry.revision))
  return JOURNAL_FORMATS.flatMap(format => {
    const known = given.revisionsOf(format)
    const isWanted =
      format === 'generic' || order.formats.includes(format) || isInFolder(day.newest, format, 0)
    if (!isWanted) return []
    const isNew = known.length === 0 || latest > known.at(-1)!
    const revisions = isNew
      ? [...known, known.length === 0 ? Math.max(day.revision, latest) : latest]
      : known
    const wanted = (one: number): boolean =>
      entries.some(entry => entry.revision === one) ||
      ((!given.fromFiles || !known.includes(one)) && !isInFolder(day.newest, format, one))
    return revisions.flatMap((one, index): PlannedFile[] => {
      const after = revisions[index - 1] ?? -1
      const told = all.filter(entry => entry.revision > after && entry.revision <= one)
      return wanted(one) || (isNew && one === revisions.at(-1))
        ? [{ format, revision: one, entries: told }]
        : []
    })
  })
}

function postingOf({
  order,
  day,
  given,
  entries,
  plan,
  settings,
}: {
  order: JournalOrder
  day: JournalDay
  given: GivenJournals
  entries: readonly JournalEntry[]
  plan: readonly PlannedFile[]
  settings: AccountingSettings
}): Posting | undefined {
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
  { dataset, extension, text, rows, revision }: JournalText & { revision: number },
  workFolder: string,
): PreparedFile & { revision: number } {
  const preparedPath = join(workFolder, `${dataset}_r${revision}.${extension}`)
  writeFileSync(preparedPath, text)
  return { preparedPath, dataset, format: extension, rows, revision, ...fingerprint(preparedPath) }
}
