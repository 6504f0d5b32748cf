import { WorkflowFailedError } from '@temporalio/client'
import { TillageError } from '../../errors.ts'
import { awaitWorkflow } from '../../temporal/follow-workflow.ts'
import type { RunningWorker } from '../../temporal/session.ts'
import { startWorker } from '../../worker.ts'
import type { BackfilledNight, BackfillInput } from '../../workflows/backfill-nights.ts'
import { backfillNightsId } from '../../workflows/ids.ts'
import { chooseStores, requireDays } from '../arguments/choices.ts'
import type { DayRange } from '../arguments/choices.ts'
import { declareCommand, days } from '../command.ts'
import type { Context } from '../command.ts'
import { formatTable } from '../terminal/table.ts'

/**
 * `tillage schedule backfill`: the nights of many business days, now. 3 if one of them could not be
 * proven, or has its books of what was read before because nothing new could be read.
 */
export async function scheduleBackfill(
  { config, terminal, signal }: Context,
  options: DayRange & { store?: string },
): Promise<number> {
  const { from, to } = requireDays(options)
  const ids = chooseStores(config, options.store)
  await using worker = await startWorker(config, terminal.progress)
  const stores = await Promise.all(
    config.stores
      .filter(({ id }) => ids.includes(id))
      .map(async store => ({
        store: store.id,
        days: await backfillStore(worker, { store: store.id, from, to }, signal),
      })),
  )
  if (signal.aborted)
    throw new TillageError('INTERRUPTED', 'stopped before every night was done', {
      remedy:
        'What was written stays. Run the same command again: it goes on with what is missing.',
    })
  terminal.print(
    terminal.json
      ? JSON.stringify({ stores })
      : formatTable(
          ['store', 'day', 'outcome', 'files', 'why'],
          stores.flatMap(({ store, days }) =>
            days.map(({ day, outcome, files, why }) => [store, day, outcome, files, why]),
          ),
        ),
  )
  return stores.every(({ days }) => days.every(isDone)) ? 0 : 3
}

const isDone = ({ outcome, why }: BackfilledNight): boolean => outcome === 'done' && why === ''

async function backfillStore(
  worker: RunningWorker,
  input: BackfillInput,
  signal: AbortSignal,
): Promise<BackfilledNight[]> {
  const workflowId = backfillNightsId(input.store, input.from, input.to)
  try {
    return await awaitWorkflow(worker, { type: 'backfillNights', workflowId, input }, signal)
  } catch (error) {
    if (signal.aborted && error instanceof WorkflowFailedError) return []
    throw error
  }
}

export const backfill = declareCommand({ options: days(), run: scheduleBackfill })
