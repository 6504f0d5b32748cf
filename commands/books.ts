import { readDatedEntries } from '../books/account-totals.ts'
import type { DatedEntries } from '../books/account-totals.ts'
import { closePeriod, reopenPeriod, requireClosed } from '../books/close-period.ts'
import type { ClosedPeriod, PeriodOrder } from '../books/close-period.ts'
import { leavesBooksOpen, readMonth } from '../books/month.ts'
import type { StoreMonth } from '../books/month.ts'
import { NO_LIMIT, refreshViews } from '../books/refresh-views.ts'
import type { RefreshedViews } from '../books/refresh-views.ts'
import { isDay } from '../calendar/days.ts'
import { openReadOnly } from '../connectors/database.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { UsageError } from '../errors.ts'
import { openPostingHistory } from '../exports/posting-history.ts'
import { chooseStores, requireText } from './arguments/choices.ts'
import { readMonthName } from './arguments/day-words.ts'
import {
  eachStore,
  exitStatusOfStores,
  logRefusals,
  refusalsAsJson,
} from './arguments/each-store.ts'
import { refuseUnused } from './arguments/needed-options.ts'
import { describeMissing, periodAsJson } from './books/describe-close.ts'
import { dayAsJson, describeMonth, monthAsCsv, remediesOf } from './books/describe-month.ts'
import { describeWaitingImports, requireDay, printPosted } from './books/posted.ts'
import type { PostedOptions } from './books/posted.ts'
import { declareCommand, option, wholeNumber } from './command.ts'
import type { Context } from './command.ts'
import { requireDatabase } from './database/require-database.ts'
import { countOf } from './terminal/number.ts'

export interface BooksOptions extends PostedOptions {
  store?: string
  month?: string
  by?: string
  csv?: boolean
}

/**
 * `tillage books`: a month, day by day; `books close` and `books reopen` its period. 3 if a day
 * that is over has no journal, or what keeps the month from being closed.
 */
export async function books(
  context: Context,
  options: BooksOptions,
  action?: string,
  month?: string,
): Promise<number> {
  if (action === undefined) {
    refuseUnused('books', options, ['by', 'reason', ...OF_POSTED])
    if (context.terminal.json) refuseUnused('books --json', options, ['csv'])
    return withMonth(context, options, showMonth)
  }
  if (action === 'refresh') {
    refuseUnused('books refresh', options, ['month', 'csv', 'by', 'reason', ...OF_POSTED])
    if (month !== undefined)
      throw new UsageError('books refresh is about all days', `Leave out ${month}.`)
    return withMonth(context, options, refresh)
  }
  if (action === 'posted') return sayPostedOf(context, options, month)
  if (action !== 'close' && action !== 'reopen')
    throw new UsageError(
      `books does not know ${JSON.stringify(action)}`,
      'There are: tillage books --month MONTH, tillage books close MONTH, ' +
        'tillage books reopen MONTH, tillage books posted DAY, tillage books refresh.',
    )
  if (month === undefined)
    throw new UsageError(
      `books ${action} needs a month`,
      `Name it: tillage books ${action} yyyy-MM --by NAME`,
    )
  refuseUnused(`books ${action}`, options, ['month', 'csv', ...OF_POSTED])
  const remedy = `Say who ${action}s the month: --by "Ana Ruiz".`
  const by = requireText(options.by, '--by is missing', remedy)
  if (action === 'close') return withMonth(context, { ...options, month, by }, closeMonth)
  const reason = requireText(
    options.reason,
    '--reason is missing',
    'Say why the month is opened again: --reason "bank fees of the 30th were missing".',
  )
  return withMonth(context, { ...options, month, by, reason }, reopenMonth)
}

const OF_POSTED = ['ref', 'revision', 'withdraw'] as const

function sayPostedOf(context: Context, options: BooksOptions, typed?: string): Promise<number> {
  refuseUnused('books posted', options, ['month', 'csv'])
  const day = requireDay(typed)
  const by = requireText(options.by, '--by is missing', 'Say who imported it: --by "Ana Ruiz".')
  return withMonth(context, { ...options, month: day.slice(0, 7), by }, task =>
    printPosted(task, day, options),
  )
}

interface Task extends PeriodOrder {
  stores: readonly string[]
  terminal: Context['terminal']
  signal: AbortSignal
  reason: string
  csv: boolean
}

async function withMonth(
  { config, terminal, signal }: Context,
  { store, month = readMonthName('this'), by = '', reason = '', csv = false }: BooksOptions,
  work: (task: Task) => Promise<number>,
): Promise<number> {
  if (!isDay(`${month}-01`))
    throw new UsageError(
      `${JSON.stringify(month)} is not a month of the calendar`,
      'Write months as yyyy-MM, like 2026-03.',
    )
  const stores = chooseStores(config, store)
  if (by !== '') await requireDatabase(config)
  await using database = await openReadOnly(config, streams)
  await using history = await openPostingHistory(config.database, { readonly: by === '' })
  const task = { config, database, history, month, by, reason, csv, stores, terminal, signal }
  return await work(task)
}

async function showMonth(task: Task): Promise<number> {
  const { terminal, month } = task
  const months: StoreMonth[] = []
  const refused = await eachStore(task.stores, async store => {
    months.push(await readMonth(task, store, month))
  })
  if (terminal.json)
    terminal.print(
      JSON.stringify({
        month,
        stores: months.map(({ store, currency, days }) => ({
          store,
          currency,
          days: days.map(dayAsJson),
        })),
        ...(refused.length === 0 ? {} : { refused: refusalsAsJson(refused) }),
      }),
    )
  else if (task.csv) terminal.print(monthAsCsv(months))
  else if (months.length > 0) {
    const dated: DatedEntries[] = []
    for (const { store } of months) dated.push(await readDatedEntries(task, store, month))
    terminal.print(describeMonth(months, dated))
  }
  for (const one of months)
    for (const line of [...remediesOf(one, task.config), ...describeWaitingImports(one)])
      terminal.log(line)
  logRefusals(refused, terminal)
  return exitStatusOfStores(
    refused,
    months.some(({ days }) => days.some(leavesBooksOpen)),
  )
}

async function closeMonth(task: Task): Promise<number> {
  const { terminal, month } = task
  const done: ClosedPeriod[] = []
  const refused = await eachStore(task.stores, async store => {
    done.push(await closePeriod(task, store))
  })
  if (terminal.json)
    terminal.print(
      JSON.stringify({ month, stores: done.map(periodAsJson), refused: refusalsAsJson(refused) }),
    )
  for (const { store, closed, missing } of done) {
    if (closed && !terminal.json)
      terminal.print(
        `${store}: ${month} is closed; what changes of it later is posted to the current period`,
      )
    if (closed) {
      const closedMonth = await readMonth(task, store, month)
      for (const line of describeWaitingImports(closedMonth)) terminal.log(line)
      continue
    }
    terminal.log(`${store}: ${month} cannot be closed:`)
    for (const line of describeMissing(missing)) terminal.log(`  ${line}`)
  }
  logRefusals(refused, terminal)
  return exitStatusOfStores(
    refused,
    done.some(({ closed }) => !closed),
  )
}

async function refresh({ config, database, stores, terminal, signal }: Task): Promise<number> {
  const done: RefreshedViews[] = []
  const watcher = { progress: terminal.progress, signal }
  const refused = await eachStore(stores, async store => {
    done.push(await refreshViews({ config, database }, store, NO_LIMIT, watcher))
  })
  if (terminal.json)
    terminal.print(JSON.stringify({ stores: done, refused: refusalsAsJson(refused) }))
  else
    for (const { store, days, isBehind } of done)
      terminal.print(
        days === 0 && !isBehind
          ? `${store}: the views books_* are up to date`
          : `${store}: ${countOf(days, 'business day')} of the views books_* computed anew`,
      )
  const behind = done.filter(({ isBehind }) => isBehind)
  for (const { store } of behind)
    terminal.log(`${store}: days are behind still: run tillage books refresh again`)
  logRefusals(refused, terminal)
  return exitStatusOfStores(refused, signal.aborted || behind.length > 0)
}

async function reopenMonth(task: Task): Promise<number> {
  const { terminal, month, reason, stores } = task
  // All or none: whoever reads that a store was refused has nothing to undo at another one.
  const refused = await eachStore(stores, store => requireClosed(task, store))
  const reopened = refused.length === 0 ? stores : []
  for (const store of reopened) await reopenPeriod(task, store, reason)
  if (terminal.json)
    terminal.print(JSON.stringify({ month, reopened, refused: refusalsAsJson(refused) }))
  else
    for (const store of reopened)
      terminal.print(
        `${store}: ${month} is open again; ` +
          'the next change of a day brings back what later months got of it',
      )
  logRefusals(refused, terminal)
  return exitStatusOfStores(refused, false)
}

/** `books 2026-11` is `books --month 2026-11`, and `close --month 2026-11` is `close 2026-11`. */
function eitherWay(
  options: BooksOptions,
  [word, named]: readonly [string?, string?],
): [BooksOptions, action: string | undefined, month: string | undefined] {
  const typed = word === undefined ? undefined : readMonthName(word)
  if (typed !== undefined && isDay(`${typed}-01`)) {
    if (named !== undefined)
      throw new UsageError(`books ${typed} is about one month`, `Leave out ${named}.`)
    return [{ ...options, month: oneMonth(typed, options.month) ?? typed }, undefined, undefined]
  }
  if (word !== 'close' && word !== 'reopen') return [options, word, named && readMonthName(named)]
  const { month, ...others } = options
  return [others, word, oneMonth(named && readMonthName(named), month)]
}

/** Named once, or twice alike. */
function oneMonth(typed: string | undefined, option: string | undefined): string | undefined {
  if (typed !== undefined && option !== undefined && typed !== option)
    throw new UsageError(`two months are named, ${typed} and ${option}`, 'Name one of them.')
  return typed ?? option
}

export const command = declareCommand<BooksOptions, [string?, string?]>({
  readsExports: true,
  takes: '[action] [month]',
  options: [
    option('--month <month>', 'month to show: yyyy-MM or last (default: this month)').argParser(
      text => readMonthName(text),
    ),
    option('--csv', 'print the days as CSV'),
    option('--by <name>', 'your name: who closes or reopens the month, or imported the journal'),
    option('--reason <text>', 'why it is reopened or withdrawn; noted in the audit log'),
    option('--ref <no>', 'number of the imported journal in the other program'),
    option('--revision <number>', 'which revision of the day was imported').argParser(wholeNumber),
    option('--withdraw', 'takes the record of an import back; needs --reason'),
  ],
  notes: [
    'tillage books yyyy-MM                  the same as --month yyyy-MM',
    'tillage books close yyyy-MM --by NAME  once every day is exported and booked',
    'tillage books reopen yyyy-MM --by NAME --reason TEXT',
    'tillage books posted yyyy-MM-dd --ref NO --by NAME  its journal was imported',
    'tillage books refresh                  brings the views books_* up to date',
  ].join('\n'),
  audited: (given, ...words) => {
    const [{ store, by, reason, ref, revision, withdraw }, action, month] = eitherWay(given, words)
    return action === undefined
      ? undefined
      : { action, month, store, by, reason, ref, revision, withdraw }
  },
  run: (context, options, ...words) => books(context, ...eitherWay(options, words)),
})
