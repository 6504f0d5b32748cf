import { explainDay } from '../books/explain-day.ts'
import { exportStore } from '../books/export-store.ts'
import { lookUpReferences, unknownReferences } from '../books/look-up-references.ts'
import { bookedStream, orderJournal } from '../books/order-journal.ts'
import type { JournalChoice } from '../books/order-journal.ts'
import { openReferencePlace } from '../books/reference-place.ts'
import { storeClockOf } from '../books/store-clock.ts'
import { businessDays } from '../calendar/business-day.ts'
import { addDays } from '../calendar/days.ts'
import type { Config } from '../config.ts'
import { openReadOnly } from '../connectors/database.ts'
import type { ReadOnlyDatabase } from '../connectors/destination/read-only.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import type { Figures } from '../exports/journal/closing.ts'
import { JOURNAL_FORMATS } from '../exports/journal/settings.ts'
import { isCosted } from '../exports/sales/references.ts'
import { chooseFormats, chooseStores } from './arguments/choices.ts'
import {
  eachStore,
  exitStatusOfStores,
  logRefusals,
  refusalsAsJson,
} from './arguments/each-store.ts'
import type { Refusal } from './arguments/each-store.ts'
import { dayOption, declareCommand, option } from './command.ts'
import type { Context } from './command.ts'
import { requireDatabase } from './database/require-database.ts'
import { describeEdits, warnAboutFailedAgain, warnAboutFilters } from './export/warnings.ts'
import { readClosingFile } from './journal/closing-file.ts'
import { describeJournalRange, describeRangeTroubles } from './journal/describe-journal-range.ts'
import {
  describeDryRun,
  describeExceptions,
  describeJournals,
  journalsAsJson,
} from './journal/describe-journals.ts'
import type { StoreJournal } from './journal/describe-journals.ts'
import { describeExplanation, explanationAsJson } from './journal/explain.ts'
import type { ExplainedDay } from './journal/explain.ts'
import { chooseJournalDays, chooseReason, chooseRewrite } from './journal/options.ts'
import type { JournalOptions } from './journal/options.ts'

/**
 * `tillage journal --date D`, or each day of a range: each store's daily sales journal, tied out. 3
 * if one is not proven, held back or incomplete.
 */
export async function journal(context: Context, options: JournalOptions): Promise<number> {
  const { config, terminal } = context
  const asked = await chooseJournals(config, options)
  await requireDatabase(config)
  await using database = await openReadOnly(config, streams)
  const done: StoreJournal[] = []
  const warnings: string[] = []
  const explained: ExplainedDay[] = []
  const refused: Refusal[] = []
  for (const day of asked.days)
    refused.push(
      ...(await eachStore(asked.stores, async store => {
        const made = await writeJournal(context, database, asked, { store, day })
        done.push(made)
        if (options.explain === true) {
          const { tieOuts } = made.journal
          const place = { config, database }
          explained.push({ store, explanation: await explainDay(place, { store, day }, tieOuts) })
        }
        warnings.push(
          ...(await warnAboutFilters(database, store, [bookedStream().name])),
          ...(await warnAboutFailedAgain(
            { config, database },
            store,
            [bookedStream().name],
            oneDay(day),
          )),
          ...(made.edits?.state === 'hole' ? [describeEdits(made, oneDay(day))!] : []),
        )
      })),
    )
  if (terminal.json)
    terminal.print(
      JSON.stringify({
        ...journalsAsJson(done),
        ...(options.explain === true ? { explained: explained.map(explanationAsJson) } : {}),
        refused: refusalsAsJson(refused),
      }),
    )
  else if (done.length > 0)
    terminal.print([describe(done, asked), ...explained.map(describeExplanation)].join('\n\n'))
  for (const line of describeTroubles(done, asked)) terminal.log(line)
  logRefusals(refused, terminal)
  for (const line of new Set(warnings)) terminal.log(line)
  return exitStatusOfStores(refused, warnings.length > 0 || done.some(leavesSomething))
}

const describe = (done: readonly StoreJournal[], { days, dryRun }: AskedJournals): string => {
  if (days.length > 1) return describeJournalRange(done, dryRun)
  return dryRun ? describeDryRun(done) : describeJournals(done)
}

const describeTroubles = (done: readonly StoreJournal[], { days }: AskedJournals): string[] =>
  days.length > 1
    ? describeRangeTroubles(done)
    : done.flatMap(({ store, journal }) => describeExceptions(store, journal))

const oneDay = (day: string): { from: string; to: string } => ({ from: day, to: addDays(day, 1) })

/** It is held back, or somebody should look at it. */
const leavesSomething = ({ journal }: StoreJournal): boolean =>
  journal.held || journal.exceptions.some(({ severity }) => severity === 'error')

/** What is asked for of each store. */
interface AskedJournals {
  stores: readonly string[]
  /** Business days, each with files of its own. */
  days: readonly string[]
  out: string
  dryRun: boolean
  choice: Omit<JournalChoice, 'closing'>
  closing: ReadonlyMap<string, Figures> | undefined
}

async function chooseJournals(config: Config, options: JournalOptions): Promise<AskedJournals> {
  const days = chooseJournalDays(options)
  const stores = chooseStores(config, options.store)
  const formats =
    options.format === undefined
      ? undefined
      : chooseFormats('journal format', options.format, JOURNAL_FORMATS)
  return {
    stores,
    days,
    out: options.out ?? config.exports,
    dryRun: options.dryRun === true,
    choice: { formats, suspenseReason: chooseReason(options), ...chooseRewrite(options) },
    closing:
      options.closing === undefined ? undefined : await readClosingFile(options.closing, stores),
  }
}

async function writeJournal(
  context: Context,
  database: ReadOnlyDatabase,
  { out, dryRun, choice, closing }: AskedJournals,
  { store, day }: { store: string; day: string },
): Promise<StoreJournal> {
  const { config, terminal, signal } = context
  const days = oneDay(day)
  if (!dryRun) await lookUpDay(context, database, store, days)
  const ordered = await orderJournal({ config, database }, store, days.from, {
    ...choice,
    closing: closing?.get(store) ?? closing?.get(''),
  })
  const made = await exportStore(
    { config, database },
    {
      store,
      days,
      datasets: [bookedStream().name],
      formats: ['csv'],
      out,
      includePeople: false,
      dryRun,
      journal: ordered,
    },
    { progress: terminal.progress, signal },
  )
  if (made.journal === undefined) throw new Error('the export made no journal')
  // Files of earlier runs are none of a dry one.
  const given = dryRun ? { files: [], manifest: '' } : {}
  return { ...made, ...given, day, journal: made.journal }
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
  const read = { database: config.database, lookUps: database.lookUps }
  const unknown = await unknownReferences(read, store, range, isCosted)
  if (unknown.size === 0) return
  await using place = await openReferencePlace(config, store, signal)
  for (const { stream, found, missing } of await lookUpReferences(place, store, unknown))
    terminal.progress(
      `${store}: asked for ${stream} by id: ${found} found, ${missing} not known to the API`,
    )
}

export const command = declareCommand({
  readsExports: true,
  options: [
    dayOption('--date <day>', 'the business day: yyyy-MM-dd, today or yesterday'),
    dayOption('--from <day>', 'or the first of many, yyyy-MM-dd'),
    dayOption('--to <day>', 'day after the last of them, yyyy-MM-dd'),
    option(
      '--format <list>',
      `${JOURNAL_FORMATS.join(', ')} (default: accounting.formats in the configuration)`,
    ),
    option(
      '--closing <file>',
      'a closing report to compare with (CSV or YAML; see docs/journals.md)',
    ),
    option(
      '--explain',
      'show what makes the closing report differ: receipts, edits, tips, tenders',
    ),
    option('--suspense', 'book what does not tie out on the suspense account; needs --reason'),
    option('--reason <text>', 'reason for accepting the difference; written into the files'),
    option('--restate', "post the day again with today's chart; needs --reason"),
    option('--reissue', "write the posted journal again with today's texts; needs --by"),
    option('--by <name>', 'your name: you confirm that nothing was imported yet'),
    option('--dry-run', 'show the journal; write nothing'),
    option('--out <folder>', 'folder for the files (default: exports in the configuration)'),
  ],
  needs: { reason: ['suspense', 'restate'], by: ['reissue'] },
  audited: ({ date, from, to, store, suspense, restate, reissue, reason, by }) =>
    suspense === true || restate === true || reissue === true
      ? { date, from, to, store, suspense, restate, reissue, reason, by }
      : undefined,
  run: journal,
})
