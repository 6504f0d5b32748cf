import { ApplicationFailure, isCancellation } from '@temporalio/workflow'
import type { SampledRecords, SampledWindow } from '../activities/choose-sample.ts'
import type { RecordComparison } from '../activities/compare-records.ts'
import type { Compared, Comparison } from '../activities/compare-window.ts'
import type { CheckedStream, StreamCheck } from '../activities/save-checks.ts'
import { explainFailure } from './failures.ts'
import {
  beginRun,
  chooseSample,
  compareRecords,
  compareWindow,
  noteRun,
  saveChecks,
} from './proxies.ts'
import { runChildSync } from './run-child-sync.ts'
import { scheduledAt } from './scheduled-time.ts'

export interface CheckInput {
  store: string
  streams: string[]
  /** How many windows are drawn. */
  windows: number
  /**
   * How many records of each stream are asked for by their id; none in inputs of before there was
   * this.
   */
  records?: number
  /** Read again what is found to be wrong; ordinary merging keeps the wrong state as a version. */
  heal: boolean
  /** The same seed draws the same windows and records. */
  seed?: number | undefined
}

export interface CheckResult {
  store: string
  seed: number
  streams: CheckedStream[]
  /** What could not be compared, and why. */
  unread: { stream: string; why: string }[]
}

const COMPARED_AT_ONCE = 3

/**
 * The outside auditor: reads windows that are proven once more, at random, asks for single records
 * by their id, and compares each with what is stored.
 */
export async function check({
  store,
  streams,
  windows,
  records,
  heal,
  seed,
}: CheckInput): Promise<CheckResult> {
  const run = await beginRun({ kind: 'check', store, scheduledAt: scheduledAt() })
  const sums = new Map<string, StreamCheck>()
  const unread: CheckResult['unread'] = []
  try {
    const sample = await chooseSample({ store, streams, windows, records, seed })
    const { timeZone } = sample
    const compared: { window: SampledWindow; comparison: Comparison }[] = []
    const looked: { drawn: SampledRecords; comparison: RecordComparison }[] = []
    const tolerate = async (stream: string, compare: () => Promise<unknown>): Promise<void> => {
      try {
        await compare()
      } catch (error) {
        if (isCancellation(error)) throw error
        const { code, message } = explainFailure(error)
        unread.push({ stream, why: `${code}: ${message}` })
      }
    }
    const queue = [
      ...sample.windows.map(
        window => () =>
          tolerate(window.stream, async () =>
            compared.push({
              window,
              comparison: await compareWindow({ ...window, store, timeZone, heal: false }),
            }),
          ),
      ),
      // A sample that was drawn before there was this has none.
      ...((sample.records as SampledRecords[] | undefined) ?? []).map(
        drawn => () =>
          tolerate(drawn.stream, async () =>
            looked.push({
              drawn,
              comparison: await compareRecords({ ...drawn, store, timeZone, heal: false }),
            }),
          ),
      ),
    ]
    const lane = async (): Promise<void> => {
      for (let compare = queue.shift(); compare !== undefined; compare = queue.shift())
        await compare()
    }
    await Promise.all(Array.from({ length: COMPARED_AT_ONCE }, lane))
    // Only now: windows overlap on the wire, and what one of them heals the next would not have
    // counted.
    for (const { window, comparison } of compared)
      add(
        sums,
        comparison,
        'window',
        1,
        heal && comparison.again !== undefined
          ? await healWindow(window, comparison, store, timeZone)
          : 0,
      )
    for (const { drawn, comparison } of looked)
      add(
        sums,
        comparison,
        'id',
        drawn.rows.length,
        heal && comparison.again.length > 0
          ? await healRecords(drawn, comparison, store, timeZone)
          : 0,
      )
    const checked = await saveChecks({
      store,
      seed: sample.seed,
      streams: [...sums]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([, sum]) =>
          sum.drawnBy === 'window'
            ? { ...sum, of: (sample.of as Record<string, number> | undefined)?.[sum.stream] }
            : sum,
        ),
    })
    const total = (count: 'compared' | 'mismatched' | 'healed'): number =>
      checked.reduce((sum, stream) => sum + stream[count], 0)
    const left = total('mismatched') - total('healed')
    await noteRun({
      run,
      outcome: left > 0 || unread.length > 0 ? 'failed' : 'done',
      detail: `${total('mismatched')} of ${total('compared')} rows were wrong, ${left} still are${unread.length > 0 ? `; ${unread.length} of the sample could not be read` : ''}`,
    })
    return { store, seed: sample.seed, streams: checked, unread }
  } catch (error) {
    if (isCancellation(error)) throw error
    const { code, message, remedy } = explainFailure(error)
    await noteRun({ run, outcome: 'failed', detail: `${code}: ${message}` })
    throw ApplicationFailure.create({
      type: code,
      message,
      nonRetryable: true,
      details: [{ recovery: 'fatal', remedy }],
    })
  }
}

/**
 * Mends, reads again what is wrong or was changed since, and compares once more: healed is what is
 * right then.
 */
async function healWindow(
  window: SampledWindow,
  { mismatched, again }: Comparison,
  store: string,
  timeZone: string,
): Promise<number> {
  await compareWindow({ ...window, store, timeZone, heal: true })
  await runChildSync({ store, ...again, again: true }, [window.stream])
  if (mismatched === 0) return 0
  const after = await compareWindow({ ...window, store, timeZone, heal: false })
  return Math.max(0, mismatched - after.mismatched)
}

/**
 * The same for records: what is wrong with them is mended, their days are read again, and they are
 * asked for once more.
 */
async function healRecords(
  { stream }: SampledRecords,
  { mismatched, wrong, again }: RecordComparison,
  store: string,
  timeZone: string,
): Promise<number> {
  if (wrong.length > 0) await compareRecords({ stream, rows: wrong, store, timeZone, heal: true })
  for (const days of again) await runChildSync({ store, ...days, again: true }, [stream])
  if (wrong.length === 0) return 0
  const after = await compareRecords({ stream, rows: wrong, store, timeZone, heal: false })
  return Math.max(0, mismatched - after.mismatched)
}

function add(
  sums: Map<string, StreamCheck>,
  { stream, compared, mismatched, changed }: Compared,
  drawnBy: StreamCheck['drawnBy'],
  drawn: number,
  healed: number,
): void {
  const key = `${stream} ${drawnBy === 'window' ? 1 : 2}`
  const sum = sums.get(key) ?? {
    stream,
    drawnBy,
    drawn: 0,
    wrongDrawn: 0,
    compared: 0,
    mismatched: 0,
    changed: 0,
    healed: 0,
  }
  sums.set(key, {
    stream,
    drawnBy,
    drawn: sum.drawn + drawn,
    wrongDrawn:
      (sum.wrongDrawn ?? 0) + (drawnBy === 'window' ? Math.min(1, mismatched) : mismatched),
    compared: sum.compared + compared,
    mismatched: sum.mismatched + mismatched,
    changed: sum.changed + changed,
    healed: sum.healed + healed,
  })
}
