import { dayStart } from '../calendar/clock.ts'
import { DAY_MS, fromIso, toIso } from '../calendar/days.ts'
import type { Interval } from '../calendar/interval.ts'
import { tile } from '../calendar/windows.ts'
import { toRead, watermarkOf } from '../connectors/destination/coverage.ts'
import type { LedgerRow } from '../connectors/destination/coverage.ts'
import { readLedger, readLookbackMs } from '../connectors/sqlite/read-ledger.ts'
import { checkOffered } from './check-offered.ts'
import type { Dependencies } from './dependencies.ts'

/** A window as it travels through workflows: ISO texts in UTC, half-open. */
export interface WindowText {
  start: string
  end: string
}

export interface PlanInput {
  store: string
  stream: string
  timeZone: string
  /** Store days `yyyy-MM-dd`, `to` exclusive; without them: since the watermark, with lookback. */
  from?: string | undefined
  to?: string | undefined
  /** Read proven windows again too. */
  again?: boolean | undefined
  /** Nobody asked for this stream by name. */
  tolerant?: boolean | undefined
  /** Instead of dates: read the last so many days again, proven or not. */
  sweepDays?: number | undefined
  /** The range of an earlier part of the same run, and where that part stopped. */
  range?: WindowText | undefined
  before?: string | undefined
}

export interface Plan {
  /** Ids of findings of the plan itself. */
  findings?: string[]
  range: WindowText
  /** Newest first: fresh data is what people wait for. */
  windows: WindowText[]
  /** There is more below the last window. */
  more: boolean
}

/** One history holds at most this many windows; then the workflow continues as new. */
const WINDOWS_PER_PLAN = 200

/** Where nothing was read before and no dates are given. */
const FIRST_DAYS = 30

/** Reads the ledger: what is unproven or inside the lookback, in the endpoint's own calendar. */
export async function planWindows(dependencies: Dependencies, input: PlanInput): Promise<Plan> {
  const { destination, progress, now } = dependencies
  const stream = dependencies.stream(input.stream)
  const refused =
    stream.optional === true && input.tolerant === true && input.range === undefined
      ? await checkOffered(dependencies, input)
      : undefined
  const rows = await readLedger(destination.db, input.store, stream.name)
  const lookbackMs = await readLookbackMs(destination.db, input.store, stream, now())
  const range =
    input.range === undefined
      ? chooseRange(input, lookbackMs, rows, now())
      : { startMs: fromIso(input.range.start), endMs: fromIso(input.range.end) }
  // A whole list is never settled: it has no dates that would say so, and its lookback has no end.
  const settledAfterMs =
    input.again === true || input.sweepDays !== undefined ? Number.POSITIVE_INFINITY : lookbackMs
  const parts =
    refused !== undefined || range.endMs <= range.startMs ? [] : toRead(rows, range, settledAfterMs)
  const windows = parts
    .flatMap(part => tile(part, input.timeZone, stream.windowing))
    .reverse()
    .map(({ startMs, endMs }) => ({ start: toIso(startMs), end: toIso(endMs) }))
    .filter(({ start }) => input.before === undefined || start < input.before)
  progress.planned += Math.min(windows.length, WINDOWS_PER_PLAN)
  return {
    range: { start: toIso(range.startMs), end: toIso(range.endMs) },
    windows: windows.slice(0, WINDOWS_PER_PLAN),
    more: windows.length > WINDOWS_PER_PLAN,
    ...(refused === undefined ? {} : { findings: [refused] }),
  }
}

/**
 * The future has not happened yet: no window reaches beyond now, or its proof would claim more than
 * was there.
 */
function chooseRange(
  { from, to, sweepDays, timeZone }: PlanInput,
  lookbackMs: number,
  rows: readonly LedgerRow[],
  nowMs: number,
): Interval {
  if (sweepDays !== undefined) return { startMs: nowMs - sweepDays * DAY_MS, endMs: nowMs }
  const endMs = to === undefined ? nowMs : Math.min(dayStart(to, timeZone), nowMs)
  if (from !== undefined) return { startMs: Math.min(dayStart(from, timeZone), endMs), endMs }
  const reached = watermarkOf(rows)
  const startMs =
    reached === undefined
      ? nowMs - FIRST_DAYS * DAY_MS
      : reached - (lookbackMs === Number.POSITIVE_INFINITY ? 0 : lookbackMs)
  return { startMs: Math.min(startMs, endMs), endMs }
}
