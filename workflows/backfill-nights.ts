import { CancellationScope, continueAsNew } from '@temporalio/workflow'
import { executeOrJoin } from './execute-or-join.ts'
import { explainFailure } from './failures.ts'
import { nightId } from './ids.ts'
import { dayAfter, nightly } from './nightly.ts'
import type { NightlyInput } from './nightly.ts'
import { runChildSync } from './run-child-sync.ts'

export interface BackfillInput {
  night: Omit<NightlyInput, 'day'>
  /** Business days, `to` exclusive. */
  from: string
  to: string
  /** What the runs before this one, in the same chain, have done. */
  carried?: BackfilledNight[] | undefined
}

export interface BackfilledNight {
  day: string
  outcome: 'done' | 'failed'
  files: number
  why: string
}

/** So that no history grows with the years. */
const NIGHTS_PER_RUN = 60

/**
 * The nights of many days, one after another: reads the whole range first, then writes the books of
 * each day. A day that is not proven is reported and never stops the others. Beside a night that runs
 * by itself, each joins the other's work.
 */
export async function backfillNights({
  night,
  from,
  to,
  carried,
}: BackfillInput): Promise<BackfilledNight[]> {
  // A cut-off after midnight reaches into the next calendar day.
  if (carried === undefined)
    await runChildSync({ store: night.store, from, to: dayAfter(to) }, night.streams)
  const nights = [...(carried ?? [])]
  const last = nights.at(-1)
  let left = NIGHTS_PER_RUN
  for (let day = last === undefined ? from : dayAfter(last.day); day < to; day = dayAfter(day)) {
    if (left-- === 0)
      await continueAsNew<typeof backfillNights>({ night, from, to, carried: nights })
    nights.push(await backfillNight({ ...night, giveUpAfterMs: 0, day }, day))
  }
  return nights
}

async function backfillNight(input: NightlyInput, day: string): Promise<BackfilledNight> {
  try {
    const done = await executeOrJoin(nightly, nightId(input.store, day), [input])
    return { day, outcome: 'done', files: done.files, why: '' }
  } catch (error) {
    if (CancellationScope.current().consideredCancelled) throw error
    return { day, outcome: 'failed', files: 0, why: explainFailure(error).message }
  }
}
