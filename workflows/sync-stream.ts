import { isCancellation, makeContinueAsNewFunc } from '@temporalio/workflow'
import type { WindowText } from '../activities/plan-windows.ts'
import type { WindowResult } from '../activities/sync-window.ts'
import { explainFailure } from './failures.ts'
import type { SyncWork } from './ids.ts'
import { planWindows, recordUnproven, syncWindow } from './proxies.ts'
import { emptyResult } from './results.ts'
import type { RecordCounts, StreamResult } from './results.ts'
import { NEXT_RUN } from './versioning.ts'

export interface SyncStreamInput extends SyncWork {
  stream: string
  timeZone: string
  /** What the runs before this one, in the same chain, have done. */
  carried?: { range: WindowText; before: string; result: StreamResult } | undefined
}

/**
 * More windows at once would not be faster: the governor decides how many requests are under way.
 */
const WINDOWS_AT_ONCE = 3
/**
 * An API that is gone is not asked for hundreds of windows more; the next run goes on where this
 * one stopped.
 */
const UNREACHABLE_WINDOWS_IN_A_ROW = 3
const API_IS_GONE = ['PARTNER_UNREACHABLE', 'PARTNER_NOT_API']

/**
 * Makes a range of one stream proven, window by window. A bad window is recorded and never stops
 * the others.
 */
export async function syncStream(input: SyncStreamInput): Promise<StreamResult> {
  const result = input.carried?.result ?? emptyResult(input.stream)
  const { carried, ...asked } = input
  const startedMs = Date.now()
  const plan = await planWindows({ ...asked, range: carried?.range, before: carried?.before })
  result.findings.push(...(plan.findings ?? []))
  await readWindows(input, plan.windows, result)
  result.tookMs += Date.now() - startedMs
  const last = plan.windows.at(-1)
  if (result.failure === undefined && plan.more && last !== undefined) {
    await readOn({
      ...asked,
      carried: { range: plan.range, before: last.start, result },
    })
  }
  return result
}

const readOn = makeContinueAsNewFunc<typeof syncStream>(NEXT_RUN)

/** Reads windows, the halves of those that move too, a few at once; adds them up in `result`. */
async function readWindows(
  { store, stream, timeZone }: SyncStreamInput,
  windows: readonly WindowText[],
  result: StreamResult,
): Promise<void> {
  const queue = [...windows]
  let unreachableInARow = 0

  const readOne = async (window: WindowText): Promise<void> => {
    const target = { store, stream, timeZone, window }
    try {
      const read = await syncWindow(target)
      unreachableInARow = 0
      if (read.status === 'split') queue.push(...read.windows)
      addWindow(result, read)
    } catch (error) {
      if (isCancellation(error)) throw error
      const { recovery, wasWaitedFor, ...failure } = explainFailure(error)
      if (recovery === 'fatal') {
        result.failure = failure
        return
      }
      unreachableInARow = API_IS_GONE.includes(failure.code) ? unreachableInARow + 1 : 0
      if (wasWaitedFor === true || unreachableInARow >= UNREACHABLE_WINDOWS_IN_A_ROW)
        result.failure = failure
      const { code, message } = failure
      addWindow(result, await recordUnproven({ ...target, code, message }))
    }
  }
  const readUntilDone = async (): Promise<void> => {
    while (queue.length > 0 && result.failure === undefined) await readOne(queue.shift()!)
  }
  await Promise.all(Array.from({ length: WINDOWS_AT_ONCE }, readUntilDone))
}

function addWindow(result: StreamResult, read: WindowResult): void {
  result.requests += read.requests
  if (read.status === 'split') return
  result.windows[read.status]++
  for (const count of Object.keys(result.records) as (keyof RecordCounts)[])
    result.records[count] += read.counts[count]
  result.findings = [...new Set([...result.findings, ...read.findings])]
}
