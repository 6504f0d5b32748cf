import { ApplicationFailure, isCancellation } from '@temporalio/workflow'
import type { SampledWindow } from '../activities/choose-sample.ts'
import type { Comparison } from '../activities/compare-window.ts'
import type { CheckedStream, StreamCheck } from '../activities/save-checks.ts'
import { explainFailure } from './failures.ts'
import { beginRun, chooseSample, compareWindow, noteRun, saveChecks } from './proxies.ts'
import { runChildSync } from './run-child-sync.ts'
import { scheduledAt } from './scheduled-time.ts'

export interface CheckInput {
  store: string
  streams: string[]
  /** How many windows are drawn. */
  windows: number
  /** Read again what is found to be wrong; ordinary merging keeps the wrong state as a version. */
  heal: boolean
  /** The same seed draws the same windows. */
  seed?: number | undefined
}

export interface CheckResult {
  store: string
  seed: number
  streams: CheckedStream[]
  /** Windows that could not be read, and why. */
  unread: { stream: string; why: string }[]
}

const WINDOWS_AT_ONCE = 3

/** The outside auditor: reads windows that are proven once more, at random, and compares each row with what is stored. */
export async function check({ store, streams, windows, heal, seed }: CheckInput): Promise<CheckResult> {
  const run = await beginRun({ kind: 'check', store, scheduledAt: scheduledAt() })
  const sums = new Map<string, StreamCheck>()
  const unread: CheckResult['unread'] = []
  try {
    const sample = await chooseSample({ store, streams, windows, seed })
    const { timeZone } = sample
    const compared: { window: SampledWindow; comparison: Comparison }[] = []
    const queue = [...sample.windows]
    const lane = async (): Promise<void> => {
      for (let window = queue.shift(); window !== undefined; window = queue.shift()) {
        try {
          compared.push({ window, comparison: await compareWindow({ ...window, store, timeZone, heal: false }) })
        } catch (error) {
          if (isCancellation(error)) throw error
          const { code, message } = explainFailure(error)
          unread.push({ stream: window.stream, why: `${code}: ${message}` })
        }
      }
    }
    await Promise.all(Array.from({ length: WINDOWS_AT_ONCE }, lane))
    // Only now: windows overlap on the wire, and what one of them heals the next would not have counted.
    for (const { window, comparison } of compared) add(sums, comparison, heal && comparison.again !== undefined ? await healWindow(window, comparison, store, timeZone) : 0)
    const checked = await saveChecks({ store, seed: sample.seed, streams: [...sums.values()].toSorted((a, b) => (a.stream < b.stream ? -1 : 1)) })
    const total = (count: 'compared' | 'mismatched' | 'healed'): number => checked.reduce((sum, stream) => sum + stream[count], 0)
    const left = total('mismatched') - total('healed')
    await noteRun({ run, outcome: left > 0 || unread.length > 0 ? 'failed' : 'done', detail: `${total('mismatched')} of ${total('compared')} rows were wrong, ${left} still are${unread.length > 0 ? `; ${unread.length} windows could not be read` : ''}` })
    return { store, seed: sample.seed, streams: checked, unread }
  } catch (error) {
    if (isCancellation(error)) throw error
    const { code, message, remedy } = explainFailure(error)
    await noteRun({ run, outcome: 'failed', detail: `${code}: ${message}` })
    throw ApplicationFailure.create({ type: code, message, nonRetryable: true, details: [{ recovery: 'fatal', remedy }] })
  }
}

/** Mends, reads again what is wrong or was changed since, and compares once more: healed is what is right then. */
async function healWindow(window: SampledWindow, { mismatched, again }: Comparison, store: string, timeZone: string): Promise<number> {
  await compareWindow({ ...window, store, timeZone, heal: true })
  await runChildSync({ store, ...again, again: true }, [window.stream])
  if (mismatched === 0) return 0
  const after = await compareWindow({ ...window, store, timeZone, heal: false })
  return Math.max(0, mismatched - after.mismatched)
}

function add(sums: Map<string, StreamCheck>, { stream, compared, mismatched, changed }: Comparison, healed: number): void {
  const sum = sums.get(stream) ?? { stream, windows: 0, compared: 0, mismatched: 0, changed: 0, healed: 0 }
  sums.set(stream, { stream, windows: sum.windows + 1, compared: sum.compared + compared, mismatched: sum.mismatched + mismatched, changed: sum.changed + changed, healed: sum.healed + healed })
}
