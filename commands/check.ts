import type { CheckOrder } from '../activities/orders.ts'
import { TillageError, UsageError } from '../errors.ts'
import { MOST_RECORDS, MOST_WINDOWS } from '../schedules/rules/settings.ts'
import { followWorkflow } from '../temporal/follow-workflow.ts'
import type { RunningWorker } from '../temporal/session.ts'
import { startWorker } from '../worker.ts'
import type { CheckInput, CheckResult } from '../workflows/check.ts'
import { checkId } from '../workflows/ids.ts'
import type { Failure } from '../workflows/results.ts'
import { chooseStores, chooseStreams } from './arguments/choices.ts'
import { declareCommand, option, wholeNumber } from './command.ts'
import type { Context } from './command.ts'
import { formatTable } from './terminal/table.ts'
import type { Terminal } from './terminal/terminal.ts'

export interface CheckOptions {
  windows: number
  records: number
  store?: string
  seed?: number
  /** `--no-heal` makes it false. */
  heal: boolean
}

/** What became of the check of one store. */
interface StoreOutcome {
  store: string
  result?: CheckResult
  failure?: Failure
}

/**
 * `tillage check [STREAM...]`: compares a random sample with the API. 3 if a row is wrong that was
 * not healed, something could not be read, or a store has nothing proven to compare; 1 if a store
 * could not be checked.
 */
export async function check(
  { config, terminal, signal }: Context,
  options: CheckOptions,
  names: readonly string[],
): Promise<number> {
  refuseSample('--windows', options.windows, 1, MOST_WINDOWS)
  refuseSample('--records', options.records, 0, MOST_RECORDS)
  const streams = chooseStreams(names)
  const stores = chooseStores(config, options.store)
  await using worker = await startWorker(config, terminal.progress, { duties: ['read'] })
  const { windows, records, heal, seed } = options
  const asked = { streams, windows, records, heal, seed }
  const outcomes = await Promise.all(
    stores.map(store => checkStore(worker, { store, asked }, signal)),
  )
  if (signal.aborted)
    throw new TillageError('INTERRUPTED', 'stopped before the comparison was done', {
      remedy:
        'What was healed stays. Run the same command again; ' +
        'without --seed it draws another sample.',
    })
  report(outcomes, terminal)
  return exitStatusOf(outcomes)
}

function refuseSample(flag: string, chosen: number, least: number, most: number): void {
  if (chosen < least || chosen > most)
    throw new UsageError(
      `${flag} ${chosen} is not possible`,
      `Choose ${least} to ${most}; another run draws others.`,
    )
}

async function checkStore(
  worker: RunningWorker,
  { store, asked }: { store: string; asked: CheckOrder },
  signal: AbortSignal,
): Promise<StoreOutcome> {
  const { streams, windows, records, seed } = asked
  const workflowId = checkId(store, streams, [windows, records, seed ?? Date.now()])
  const input: CheckInput = { store, asked }
  const order = { type: 'check', workflowId, input }
  const outcome = await followWorkflow<CheckResult>(worker, order, signal)
  return 'failure' in outcome ? { store, failure: outcome.failure } : { store, result: outcome }
}

function report(outcomes: readonly StoreOutcome[], terminal: Terminal): void {
  const results = outcomes.flatMap(({ result }) => result ?? [])
  if (terminal.json) terminal.print(JSON.stringify({ stores: outcomes.map(asJson) }))
  else if (results.length > 0) terminal.print(describeResults(results))
  for (const { store, streams } of results)
    if (streams.length === 0)
      terminal.log(
        `${store}: nothing of this is proven yet, so nothing was compared. Read it first: ` +
          `tillage sync --store ${store}`,
      )
  for (const { store, unread } of results)
    for (const { stream, why } of unread)
      terminal.log(`${store} ${stream}: a part of the sample could not be read: ${why}`)
  for (const { store, failure } of outcomes) {
    if (failure === undefined) continue
    const remedy = failure.remedy === undefined ? '' : `\n${failure.remedy}`
    terminal.log(`${store}: ${failure.code}: ${failure.message}${remedy}`)
  }
}

const asJson = ({ store, result, failure }: StoreOutcome): object =>
  result ?? {
    store,
    streams: [],
    unread: [],
    error: { ...failure, remedy: failure?.remedy ?? null },
  }

function exitStatusOf(outcomes: readonly StoreOutcome[]): number {
  if (outcomes.some(({ failure }) => failure !== undefined)) return 1
  const isClean = ({ streams, unread }: CheckResult): boolean =>
    streams.length > 0 &&
    unread.length === 0 &&
    streams.every(({ mismatched, healed }) => mismatched === healed)
  return outcomes.every(({ result }) => result !== undefined && isClean(result)) ? 0 : 3
}

const COLUMNS = ['store', 'stream', 'drawn', 'compared', 'wrong', 'changed since', 'healed']

function describeResults(results: readonly CheckResult[]): string {
  const rows = results.flatMap(({ store, streams }) =>
    streams.map(checked => [
      store,
      checked.stream,
      `${checked.drawn} ${checked.drawnBy}${checked.drawn === 1 ? '' : 's'}`,
      checked.compared,
      checked.mismatched,
      checked.changed,
      checked.healed,
      describeBound(checked),
    ]),
  )
  if (rows.length === 0) return 'nothing is proven yet, so there is nothing to compare'
  const table = formatTable([...COLUMNS, 'at most wrong'], rows, {
    minor: ['healed', 'changed since'],
  })
  const seeds = results.map(({ seed }) => seed).join(', ')
  const silent = results.flatMap(({ store, streams }) =>
    streams
      .filter(({ drawnBy, drawn, compared }) => drawnBy === 'id' && drawn > 0 && compared === 0)
      .map(({ stream }) => `${store} ${stream}`),
  )
  const note =
    silent.length === 0
      ? ''
      : '\n  Not one record was found by its id, so nothing is known from that: ' +
        silent.join(', ')
  return (
    `${table}\n${note}\n` +
    `  at most wrong: with 95 % confidence, exact where every day was drawn; seed ${seeds}`
  )
}

/** Where nothing was compared, nothing is known: that is no rate of 100 %. */
export function describeBound({
  compared,
  rateBound,
  boundOf,
}: Pick<CheckResult['streams'][number], 'compared' | 'rateBound' | 'boundOf'>): string {
  if (compared === 0) return 'not known'
  const percent = Number((rateBound * 100).toPrecision(2))
  return `${percent} % of ${boundOf === 'rows' ? 'rows' : 'days'}`
}

export const command = declareCommand({
  takes: '[streams...]',
  options: [
    option('--windows <number>', 'how many windows to draw: store days and whole lists')
      .argParser(wholeNumber)
      .default(5),
    option('--records <number>', 'how many records of each stream to ask for by id')
      .argParser(wholeNumber)
      .default(20),
    option('--seed <number>', 'the same seed draws the same windows and records').argParser(
      wholeNumber,
    ),
    option('--no-heal', 'only report'),
  ],
  run: check,
})
