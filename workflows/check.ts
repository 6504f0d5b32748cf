import { isCancellation } from '@temporalio/workflow'
import type { Sample, SampledRecords, SampledWindow } from '../activities/choose-sample.ts'
import type { RecordComparison } from '../activities/compare-records.ts'
import type { Comparison } from '../activities/compare-window.ts'
import type { CheckOrder } from '../activities/orders.ts'
import type { CheckedStream, StreamCheck } from '../activities/save-checks.ts'
import { explainFailure } from './failures.ts'
import { noted } from './note-failure.ts'
import {
  beginRun,
  chooseSample,
  compareRecords,
  compareWindow,
  findCheckOrder,
  noteRun,
  saveChecks,
} from './proxies.ts'
import { runChildSync } from './run-child-sync.ts'
import { scheduledAt } from './scheduled-time.ts'

export interface CheckInput {
  store: string
  /** A person's own order; without it, what tillage.yaml wants of a check. */
  asked?: CheckOrder | undefined
}

export interface CheckResult {
  store: string
  seed: number
  streams: CheckedStream[]
  /** What could not be compared, and why. */
  unread: UnreadPart[]
}

interface UnreadPart {
  stream: string
  why: string
}

interface ComparedWindow {
  window: SampledWindow
  comparison: Comparison
}

interface ComparedRecords {
  drawn: SampledRecords
  comparison: RecordComparison
}

/** What was drawn, with what the API said of it. */
interface ComparedSample {
  windows: ComparedWindow[]
  records: ComparedRecords[]
  unread: UnreadPart[]
}

/** Where a comparison belongs to. */
interface Place {
  store: string
  timeZone: string
}

const COMPARED_AT_ONCE = 3

/**
 * A sample check: reads windows that are proven once more, at random, asks for single records by
 * their id, and compares each with what is stored.
 */
export async function check({ store, asked }: CheckInput): Promise<CheckResult> {
  const byHand = asked !== undefined
  const run = await beginRun({ kind: 'check', store, scheduledAt: scheduledAt(), byHand })
  return noted(run, async () => {
    const order = asked ?? (await findCheckOrder({ store }))
    const sample = await drawSample(store, order)
    const place = { store, timeZone: sample.timeZone }
    const compared = await compareAll(sample, place)
    // Only now: windows overlap on the wire, and what is repaired in one of them would not be
    // counted in the next.
    const sums = await healAll(compared, place, order.heal)
    const streams = withPoolSizes(sums, sample)
    const checked = await saveChecks({ store, seed: sample.seed, streams })
    await noteRun({ run, ...summarize(checked, compared.unread) })
    return { store, seed: sample.seed, streams: checked, unread: compared.unread }
  })
}

const drawSample = (
  store: string,
  { streams, windows, records, seed }: CheckOrder,
): Promise<Sample> => chooseSample({ store, streams, windows, records, seed })

/** A few at once; what cannot be compared is named and does not keep the others from it. */
async function compareAll(sample: Sample, place: Place): Promise<ComparedSample> {
  const compared: ComparedSample = { windows: [], records: [], unread: [] }
  const tasks = [
    ...sample.windows.map(window => ({
      stream: window.stream,
      run: async () => {
        const comparison = await compareWindow({ ...window, ...place, heal: false })
        compared.windows.push({ window, comparison })
      },
    })),
    ...sample.records.map(drawn => ({
      stream: drawn.stream,
      run: async () => {
        const comparison = await compareRecords({ ...drawn, ...place, heal: false })
        compared.records.push({ drawn, comparison })
      },
    })),
  ]
  const runTasks = async (): Promise<void> => {
    for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
      try {
        await task.run()
      } catch (error) {
        if (isCancellation(error)) throw error
        const { code, message } = explainFailure(error)
        compared.unread.push({ stream: task.stream, why: `${code}: ${message}` })
      }
    }
  }
  await Promise.all(Array.from({ length: COMPARED_AT_ONCE }, runTasks))
  return compared
}

/** Repairs what is wrong where that is asked for, one after another, and sums up by stream. */
async function healAll(
  { windows, records }: ComparedSample,
  place: Place,
  heal: boolean,
): Promise<StreamCheck[]> {
  const sums = new Map<string, StreamCheck>()
  for (const { window, comparison } of windows) {
    const isWrong = comparison.again !== undefined
    const healed = heal && isWrong ? await healWindow(window, comparison, place) : 0
    const wrongDrawn = Math.min(1, comparison.mismatched)
    add(sums, { ...countsOf(comparison), drawnBy: 'window', drawn: 1, wrongDrawn, healed })
  }
  for (const { drawn, comparison } of records) {
    const isWrong = comparison.again.length > 0
    const healed = heal && isWrong ? await healRecords(drawn, comparison, place) : 0
    const counts = { drawn: drawn.rows.length, wrongDrawn: comparison.mismatched, healed }
    add(sums, { ...countsOf(comparison), drawnBy: 'id', ...counts })
  }
  return [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)
}

/**
 * Repairs, reads again what is wrong or was changed since, and compares once more: healed is what
 * is right then.
 */
async function healWindow(
  window: SampledWindow,
  { mismatched, again }: Comparison,
  place: Place,
): Promise<number> {
  await compareWindow({ ...window, ...place, heal: true })
  await runChildSync({ store: place.store, ...again, again: true }, [window.stream])
  if (mismatched === 0) return 0
  const after = await compareWindow({ ...window, ...place, heal: false })
  return Math.max(0, mismatched - after.mismatched)
}

/**
 * The same for records: what is wrong with them is repaired, their days are read again, and they
 * are asked for once more.
 */
async function healRecords(
  { stream }: SampledRecords,
  { mismatched, wrong, again }: RecordComparison,
  place: Place,
): Promise<number> {
  if (wrong.length > 0) await compareRecords({ stream, rows: wrong, ...place, heal: true })
  for (const days of again)
    await runChildSync({ store: place.store, ...days, again: true }, [stream])
  if (wrong.length === 0) return 0
  const after = await compareRecords({ stream, rows: wrong, ...place, heal: false })
  return Math.max(0, mismatched - after.mismatched)
}

type Counts = Pick<StreamCheck, 'stream' | 'compared' | 'mismatched' | 'changed'>

const countsOf = ({ stream, compared, mismatched, changed }: Counts): Counts => ({
  stream,
  compared,
  mismatched,
  changed,
})

const COUNTS = ['drawn', 'wrongDrawn', 'compared', 'mismatched', 'changed', 'healed'] as const

/** Windows of a stream are summed before its single records. */
function add(sums: Map<string, StreamCheck>, check: StreamCheck): void {
  const key = `${check.stream} ${check.drawnBy === 'window' ? 1 : 2}`
  const sum = sums.get(key)
  if (sum === undefined) sums.set(key, { ...check })
  else for (const count of COUNTS) sum[count] = (sum[count] ?? 0) + (check[count] ?? 0)
}

/** Out of how many windows those of each stream were drawn. */
const withPoolSizes = (sums: readonly StreamCheck[], { of }: Sample): StreamCheck[] =>
  sums.map(sum => (sum.drawnBy === 'window' ? { ...sum, of: of[sum.stream] } : sum))

function summarize(
  checked: readonly CheckedStream[],
  unread: readonly UnreadPart[],
): { outcome: 'done' | 'failed'; detail: string } {
  const total = (count: 'compared' | 'mismatched' | 'healed'): number =>
    checked.reduce((sum, stream) => sum + stream[count], 0)
  const left = total('mismatched') - total('healed')
  const counts = `${total('mismatched')} of ${total('compared')} rows were wrong, ${left} still are`
  const notRead = unread.length === 0 ? '' : `; ${unread.length} of the sample could not be read`
  return {
    outcome: left > 0 || unread.length > 0 ? 'failed' : 'done',
    detail: `${counts}${notRead}`,
  }
}
