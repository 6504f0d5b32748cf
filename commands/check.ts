import { TillageError, UsageError } from '../errors.ts'
import { followWorkflow } from '../temporal/follow-workflow.ts'
import { startWorker } from '../worker.ts'
import type { CheckInput, CheckResult } from '../workflows/check.ts'
import { scheduledWorkflowId } from '../workflows/ids.ts'
import { chooseStores, chooseStreams } from './choices.ts'
import { declareCommand, option, wholeNumber } from './command.ts'
import type { Context } from './command.ts'
import { formatTable } from './terminal.ts'

export interface CheckOptions {
  windows: number
  records: number
  store?: string
  seed?: number
  /** `--no-heal` makes it false. */
  heal: boolean
}

/** More would not fit into one history. */
const MOST_WINDOWS = 500
/** Each is a request. */
const MOST_RECORDS = 1000

/**
 * `tillage check [STREAM...]`: compares a random sample with the API. 3 if a row is wrong that was
 * not healed, or something could not be read; 1 if a store could not be checked.
 */
export async function check(
  { config, terminal, signal }: Context,
  { windows, records, store, seed, heal }: CheckOptions,
  names: readonly string[],
): Promise<number> {
  if (windows < 1 || windows > MOST_WINDOWS)
    throw new UsageError(
      `--windows ${windows} is not possible`,
      `Choose 1 to ${MOST_WINDOWS}; another run draws others.`,
    )
  if (records > MOST_RECORDS)
    throw new UsageError(
      `--records ${records} is not possible`,
      `Choose 0 to ${MOST_RECORDS}; another run draws others.`,
    )
  const streams = chooseStreams(names)
  const stores = chooseStores(config, store)
  const worker = await startWorker(config, terminal.progress)
  try {
    const outcomes = await Promise.all(
      stores.map(async id => {
        const input: CheckInput = { store: id, streams, windows, records, heal, seed }
        const workflowId = `${scheduledWorkflowId('check', id)}/${[...streams, windows, records, seed ?? Date.now()].join('+')}`
        return {
          id,
          outcome: await followWorkflow<CheckResult>(
            worker,
            { type: 'check', workflowId, input },
            signal,
          ),
        }
      }),
    )
    if (signal.aborted)
      throw new TillageError('INTERRUPTED', 'stopped before the comparison was done', {
        remedy:
          'What was healed stays. Run the same command again; without --seed it draws another sample.',
      })
    const results = outcomes.flatMap(({ outcome }) => ('failure' in outcome ? [] : [outcome]))
    const failures = outcomes.flatMap(({ id, outcome }) =>
      'failure' in outcome ? [{ store: id, ...outcome.failure }] : [],
    )
    if (terminal.json)
      terminal.print(
        JSON.stringify({
          stores: outcomes.map(({ id, outcome }) =>
            'failure' in outcome
              ? {
                  store: id,
                  streams: [],
                  unread: [],
                  error: { ...outcome.failure, remedy: outcome.failure.remedy ?? null },
                }
              : outcome,
          ),
        }),
      )
    else if (results.length > 0) terminal.print(describe(results))
    for (const { store: id, unread } of results)
      for (const { stream, why } of unread)
        terminal.log(`${id} ${stream}: a part of the sample could not be read: ${why}`)
    for (const { store: id, code, message, remedy } of failures)
      terminal.log(`${id}: ${code}: ${message}${remedy === undefined ? '' : `\n${remedy}`}`)
    if (failures.length > 0) return 1
    return results.every(
      ({ streams: checked, unread }) =>
        unread.length === 0 && checked.every(({ mismatched, healed }) => mismatched === healed),
    )
      ? 0
      : 3
  } finally {
    await worker.close()
  }
}

function describe(results: readonly CheckResult[]): string {
  const rows = results.flatMap(({ store, streams }) =>
    streams.map(
      ({ stream, drawnBy, drawn, compared, mismatched, changed, healed, rateBound, boundOf }) => [
        store,
        stream,
        `${drawn} ${drawnBy}${drawn === 1 ? '' : 's'}`,
        compared,
        mismatched,
        changed,
        healed,
        `${Number((rateBound * 100).toPrecision(2))} % of ${boundOf === 'rows' ? 'rows' : 'days'}`,
      ],
    ),
  )
  if (rows.length === 0) return 'nothing is proven yet, so there is nothing to compare'
  return `${formatTable(['store', 'stream', 'drawn', 'compared', 'wrong', 'changed since', 'healed', 'at most wrong'], rows)}\n\n  "at most wrong": with 95 % confidence; exact where every day was drawn; seed ${results.map(({ seed }) => seed).join(', ')}`
}

export const command = declareCommand({
  takes: '[streams...]',
  options: [
    option('--windows <number>', 'how many are drawn, of store days and whole lists')
      .argParser(wholeNumber)
      .default(5),
    option('--records <number>', 'how many records of each stream are asked for by their id')
      .argParser(wholeNumber)
      .default(20),
    option('--seed <number>', 'the same seed draws the same windows and records').argParser(
      wholeNumber,
    ),
    option('--no-heal', 'only report'),
  ],
  run: check,
})
