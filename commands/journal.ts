import { readFileSync } from 'node:fs'
import { exportStore } from '../books/export-store.ts'
import type { StoreExport } from '../books/export-store.ts'
import { lookUpReferences } from '../books/look-up-references.ts'
import { bookedStream, orderJournal } from '../books/order-journal.ts'
import { openReferencePlace } from '../books/reference-place.ts'
import { storeClockOf } from '../books/store-clock.ts'
import { businessDays } from '../calendar/business-day.ts'
import { addDays, isDay } from '../calendar/days.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { openReadOnly } from '../connectors/sqlite/read-only.ts'
import type { ReadOnlyDatabase } from '../connectors/sqlite/read-only.ts'
import { UsageError } from '../errors.ts'
import { isCosted } from '../exports/books/references.ts'
import { readClosing } from '../exports/journal/closing.ts'
import type { Figures } from '../exports/journal/closing.ts'
import type { JournalOrder } from '../exports/journal/journal-order.ts'
import type { JournalOutcome } from '../exports/journal/journal-outcome.ts'
import { JOURNAL_FORMATS } from '../exports/journal/settings.ts'
import type { JournalFormat } from '../exports/journal/settings.ts'
import { chooseFormats, chooseStores } from './choices.ts'
import { declareCommand, option } from './command.ts'
import type { Context } from './command.ts'
import { eachStore, exitStatusOfStores, logRefusals, refusalsAsJson } from './each-store.ts'
import { pathFromHere } from './started-as.ts'
import { formatTable } from './terminal.ts'
import { describeEdits, warnAboutFilters } from './warnings.ts'

export interface JournalOptions {
  date?: string
  store?: string
  format?: string
  closing?: string
  suspense?: boolean
  reason?: string
  restate?: boolean
  reissue?: boolean
  by?: string
  dryRun?: boolean
  out?: string
}

type StoreJournal = StoreExport & { journal: JournalOutcome }

/**
 * `tillage journal --date D`: each store's daily sales journal, tied out. 3 if a store's is not
 * proven, held back or incomplete.
 */
export async function journal(
  { config, terminal, signal }: Context,
  options: JournalOptions,
): Promise<number> {
  const date = chooseDate(options.date)
  const stores = chooseStores(config, options.store)
  const formats =
    options.format === undefined
      ? config.accounting.formats
      : chooseFormats('journal format', options.format, JOURNAL_FORMATS)
  const suspenseReason = chooseReason(options)
  const closing =
    options.closing === undefined ? undefined : readClosingFile(options.closing, stores)
  const days = { from: date, to: addDays(date, 1) }
  const datasets = [bookedStream().name]
  const database = await openReadOnly(config, streams)
  const done: StoreJournal[] = []
  const warnings: string[] = []
  let refused
  try {
    refused = await eachStore(stores, async store => {
      if (options.dryRun !== true)
        await lookUpDay({ config, terminal, signal }, database, store, days)
      const journal = await orderJournal({ config, database }, store, date, {
        formats,
        suspenseReason,
        ...chooseRewrite(options),
        closing: closing?.get(store) ?? closing?.get(''),
      })
      const made = await exportStore(
        { config, database },
        {
          store,
          days,
          datasets,
          formats: ['csv'],
          out: options.out ?? config.exports,
          includePeople: false,
          dryRun: options.dryRun === true,
          journal,
        },
        { progress: terminal.progress, signal },
      )
      if (made.journal === undefined) throw new Error('the export made no journal')
      done.push({ ...made, journal: made.journal })
      warnings.push(
        ...(await warnAboutFilters(database, store, datasets)),
        ...(made.edits?.state === 'hole' ? [describeEdits(made, days)!] : []),
      )
    })
  } finally {
    await database.close()
  }
  if (terminal.json)
    terminal.print(JSON.stringify({ ...asJson(done), refused: refusalsAsJson(refused) }))
  else if (done.length > 0) terminal.print(describeJournals(done))
  for (const { store, journal } of done)
    for (const line of describeExceptions(store, journal)) terminal.log(line)
  logRefusals(refused, terminal)
  for (const line of warnings) terminal.log(line)
  return exitStatusOfStores(
    refused,
    warnings.length > 0 ||
      done.some(
        ({ journal }) =>
          journal.held || journal.exceptions.some(({ severity }) => severity === 'error'),
      ),
  )
}

/**
 * Lots whose cost the day needs and that nobody has read are asked for once. An API that is gone
 * keeps nobody from a journal that has all of its costs.
 */
async function lookUpDay(
  { config, terminal, signal }: Context,
  database: ReadOnlyDatabase,
  store: string,
  days: { from: string; to: string },
): Promise<void> {
  const range = businessDays(days, storeClockOf(config, store, await database.timeZone(store)))
  const place = await openReferencePlace(config, store, signal)
  try {
    for (const { stream, found, missing } of await lookUpReferences(place, store, range, isCosted))
      terminal.progress(
        `${store}: asked for ${stream} by id: ${found} found, ${missing} not known to the API`,
      )
  } finally {
    await place.close()
  }
}

function chooseDate(date: string | undefined): string {
  if (date === undefined)
    throw new UsageError('--date is missing', 'Name the business day: --date yyyy-MM-dd.')
  if (!isDay(date))
    throw new UsageError(
      `--date ${JSON.stringify(date)} is not a day of the calendar`,
      'Write days as yyyy-MM-dd, like 2026-03-01.',
    )
  return date
}

/** A day is posted again, or written again, only because a person says so. */
function chooseRewrite({
  restate,
  reissue,
  reason,
  by,
}: JournalOptions): Pick<JournalOrder, 'restateReason' | 'reissuedBy'> {
  const [why, who] = [(reason ?? '').trim(), (by ?? '').trim()]
  if (restate === true && why === '')
    throw new UsageError(
      '--restate needs a reason',
      'Say why the day is posted again: --restate --reason "flower has an account of its own".',
    )
  if (reissue === true && who === '')
    throw new UsageError(
      '--reissue needs a name',
      'Say who knows that nothing was imported yet: --reissue --by "Ana Ruiz".',
    )
  return {
    restateReason: restate === true ? why : undefined,
    reissuedBy: reissue === true ? who : undefined,
  }
}

function chooseReason({ suspense, restate, reason }: JournalOptions): string | undefined {
  if (suspense !== true && (reason === undefined || restate === true)) return undefined
  if (suspense !== true)
    throw new UsageError(
      '--reason belongs to --suspense or --restate',
      'Give both, or none of them.',
    )
  const said = reason?.trim() ?? ''
  if (said === '')
    throw new UsageError(
      '--suspense needs a reason',
      'Say why the difference may stay: --suspense --reason "drawer counted again, 0.10 short".',
    )
  return said
}

function readClosingFile(path: string, stores: readonly string[]): Map<string, Figures> {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    throw new UsageError(
      `${path} cannot be read (${(cause as NodeJS.ErrnoException).code ?? 'unknown error'})`,
      'Name the closing report: --closing FILE.',
    )
  }
  const reports = readClosing(text, path)
  if (reports.has('') && stores.length > 1)
    throw new UsageError(
      `${path} does not say which store it is about`,
      'Name the store: --store ID, or a column "store" in the file.',
    )
  for (const store of reports.keys())
    if (store !== '' && !stores.includes(store))
      throw new UsageError(
        `${path} is about ${JSON.stringify(store)}, which is not among the stores of this run`,
        `Stores are: ${stores.join(', ')}.`,
      )
  return reports
}

function asJson(done: readonly StoreJournal[]): object {
  const manifests = done.map(({ manifest }) => manifest)
  return {
    files: done.flatMap(({ files }) =>
      files.map(({ path, dataset, format, rows, sha256 }) => ({
        path,
        format: formatOf(dataset) ?? format,
        dataset,
        rows,
        sha256,
      })),
    ),
    manifest: manifests[0] ?? null,
    manifests,
    stores: done.map(({ store, revision, journal }) => ({
      store,
      revision,
      held: journal.held,
      entries: journal.entries,
      accounts: journal.accounts,
      chartDifferences: journal.chartDifferences,
      exceptions: journal.exceptions.length,
      tieOuts: journal.tieOuts,
    })),
  }
}

/** `journal_qbo` is qbo's. */
const formatOf = (dataset: string): JournalFormat | undefined =>
  dataset === 'daily_sales_journal'
    ? 'generic'
    : JOURNAL_FORMATS.find(format => dataset.startsWith(`journal_${format}`))

function describeJournals(done: readonly StoreJournal[]): string {
  const state = ({ journal, revision }: StoreJournal): (string | number)[][] => {
    if (journal.held) return [['held back, see below', '', '', '']]
    if (journal.entries.length === 0) return [[`stands as it is (r${revision})`, '', '', '']]
    return journal.entries.map(({ number, date, debit, credit }) => [number, date, debit, credit])
  }
  const entries = formatTable(
    ['store', 'journal', 'dated', 'debits', 'credits'],
    done.flatMap(one => state(one).map(cells => [one.store, ...cells])),
  )
  const checks = formatTable(
    ['store', 'check', 'expected', 'actual', 'delta', ''],
    done.flatMap(({ store, journal }) =>
      journal.tieOuts.map(({ check, expected, actual, delta, status }) => [
        store,
        check,
        expected,
        actual,
        delta,
        status,
      ]),
    ),
  )
  const files = done
    .flatMap(({ files: made, manifest }) => [...made.map(({ path }) => path), manifest])
    .filter(path => path !== '')
  return `${entries}\n\n${checks}\n\n${files.map(path => `  ${pathFromHere(path)}`).join('\n')}`
}

const MOST_SHOWN = 5

/** A changed chart is a question: nothing was posted for it. */
function describeChart(store: string, { chartDifferences }: JournalOutcome): string[] {
  if (chartDifferences.length === 0) return []
  return [
    `${store}: the chart changed since this day was posted; it stands as it was posted. Today's chart would move: ${chartDifferences
      .map(({ account, amount }) => `${account} ${amount}`)
      .join(', ')}`,
    'To post the day again by it: --restate --reason TEXT',
  ]
}

function describeExceptions(store: string, outcome: JournalOutcome): string[] {
  const { held, exceptions } = outcome
  const lines = exceptions
    .slice(0, MOST_SHOWN)
    .map(
      ({ severity, code, transactionId, detail }) =>
        `${store} ${severity} ${code}${transactionId === '' ? '' : ` transaction ${transactionId}`}: ${detail}`,
    )
  if (exceptions.length > MOST_SHOWN)
    lines.push(
      `${store}: and ${exceptions.length - MOST_SHOWN} more, all of them in its exceptions file`,
    )
  if (held)
    lines.push(
      `JOURNAL_HELD: ${store} has no journal for this day, because it does not tie out`,
      ...remediesOf(store, exceptions),
    )
  return [...lines, ...describeChart(store, outcome)]
}

/** What no table could take cannot be accepted with a reason: nobody knows what it says. */
function remediesOf(store: string, exceptions: JournalOutcome['exceptions']): string[] {
  const holds = (codes: readonly string[]): boolean =>
    exceptions.some(({ severity, code }) => severity === 'error' && codes.includes(code))
  return [
    ...(holds(['ROWS_DIFFER'])
      ? [
          `Replay what could not be loaded, or give it up: tillage dead-letters list --store ${store}`,
        ]
      : []),
    ...(holds(['TIE_OUT', 'UNMAPPED', 'UNBALANCED', 'CLOSING_DIFFERS'])
      ? [
          'Mend what is named above at its source and sync again, name what has no account in tillage.yaml, or accept the difference: --suspense --reason TEXT',
        ]
      : []),
  ]
}

export const command = declareCommand({
  options: [
    option('--date <day>', 'the business day'),
    option(
      '--format <list>',
      `${JOURNAL_FORMATS.join(', ')} (default: accounting.formats in the configuration)`,
    ),
    option('--closing <file>', 'a closing report to compare with (CSV or YAML; see the README)'),
    option('--suspense', 'book what does not tie out on the suspense account; needs --reason'),
    option('--reason <text>', 'why the difference may stay; is written into the files'),
    option('--restate', "post the day again by today's chart; needs --reason"),
    option('--reissue', "write what was posted again with today's texts; needs --by"),
    option('--by <name>', 'who says that nothing was imported yet'),
    option('--dry-run', 'show the journal and leave no trace'),
    option('--out <folder>', 'where the files go (default: exports in the configuration)'),
  ],
  run: journal,
})
