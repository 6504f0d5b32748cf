import { WorkflowFailedError } from '@temporalio/client'
import { knownZone } from '../../activities/begin-run.ts'
import { businessDayOfNow, storeClockOf } from '../../books/store-clock.ts'
import { businessDayStart } from '../../calendar/business-day.ts'
import { localMinute } from '../../calendar/clock.ts'
import { addDays } from '../../calendar/days.ts'
import type { Config } from '../../config.ts'
import { TillageError, UsageError } from '../../errors.ts'
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
  for (const id of ids) await refuseUnfinishedDays(config, worker, { store: id, from, to })
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

/**
 * The night of a day that is not over proves nothing: it would stand as failed, and as the newest.
 * Of a store whose zone nobody knows yet, a day is over once it is over anywhere.
 */
async function refuseUnfinishedDays(
  config: Config,
  { dependencies }: Pick<RunningWorker, 'dependencies'>,
  { store, from, to }: BackfillInput,
): Promise<void> {
  const zone = (await knownZone(dependencies, store)) ?? FIRST_ZONE_OF_A_DAY
  const clock = storeClockOf(config, store, zone)
  const running = businessDayOfNow(clock)
  if (to <= running) return
  const ends = localMinute(businessDayStart(addDays(running, 1), clock), clock.timeZone)
  const remedy =
    from < running
      ? `Ask for the days before it: --from ${from} --to ${running}`
      : 'Nights of days that are over can be made up for; what comes, runs by itself.'
  throw new UsageError(
    `${store}: the business day ${running} is not over, it ends at ${ends}; nothing was started`,
    remedy,
  )
}

const FIRST_ZONE_OF_A_DAY = 'Pacific/Kiritimati'

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
