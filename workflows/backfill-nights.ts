import { CancellationScope, continueAsNew, setWorkflowOptions } from '@temporalio/workflow'
import { executeOrJoin } from './execute-or-join.ts'
import { explainFailure } from './failures.ts'
import { nightId } from './ids.ts'
import { dayAfter, nightly, nothingNew } from './nightly.ts'
import type { NightlyInput } from './nightly.ts'
import { findNightOrder } from './proxies.ts'
import { runChildSync, whyUnread } from './run-child-sync.ts'
import { goesOn } from './versioning.ts'

export interface BackfillInput {
  store: string
  /** Business days, `to` exclusive. */
  from: string
  to: string
  /** What the runs before this one, in the same chain, have done. */
  carried?: BackfilledNight[] | undefined
  /** Why nothing new could be read before the first of them. */
  unread?: string | undefined
}

export interface BackfilledNight {
  day: string
  outcome: 'done' | 'failed'
  files: number
  /**
   * Of a night that is done: why its books are of what was read before; empty where they are not.
   */
  why: string
}

/** So that no history grows with the years. */
const NIGHTS_PER_RUN = 60

/**
 * The nights of many days, one after another: reads the whole range first, then writes the books of
 * each day. A day that is not proven is reported and never stops the others. Beside a night that
 * runs by itself, each joins the other's work.
 */
export async function backfillNights({
  store,
  from,
  to,
  carried,
  unread: knownUnread,
}: BackfillInput): Promise<BackfilledNight[]> {
  // A cut-off after midnight reaches into the next calendar day.
  const unread =
    carried === undefined ? await readRange(store, { from, to: dayAfter(to) }) : knownUnread
  const nights = [...(carried ?? [])]
  const last = nights.at(-1)
  let left = NIGHTS_PER_RUN
  for (let day = last === undefined ? from : dayAfter(last.day); day < to; day = dayAfter(day)) {
    if (left-- === 0)
      await continueAsNew<typeof backfillNights>({ store, from, to, carried: nights, unread })
    nights.push(await backfillNight({ store, day, once: true }, { day, unread }))
  }
  return nights
}
setWorkflowOptions(goesOn, backfillNights)

/** Answers why it could not be read, if so: days that are proven get their books all the same. */
async function readRange(
  store: string,
  range: { from: string; to: string },
): Promise<string | undefined> {
  const { streams, needed } = await findNightOrder({ store })
  const why = whyUnread(await runChildSync({ store, ...range }, streams), needed)
  return why && nothingNew(`${why.code}: ${why.message}`)
}

async function backfillNight(
  input: NightlyInput,
  { day, unread = '' }: { day: string; unread?: string | undefined },
): Promise<BackfilledNight> {
  try {
    const done = await executeOrJoin(nightly, nightId(input.store, day), [input])
    return { day, outcome: 'done', files: done.files, why: unread }
  } catch (error) {
    if (CancellationScope.current().consideredCancelled) throw error
    return { day, outcome: 'failed', files: 0, why: explainFailure(error).message }
  }
}
