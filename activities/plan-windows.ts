import { activityInfo, cancellationSignal } from '@temporalio/activity'
import { businessDayStart } from '../calendar/business-day.ts'
import { dayStart } from '../calendar/clock.ts'
import { DAY_MS, MINUTE_MS, fromIso, toIso } from '../calendar/days.ts'
import type { Interval } from '../calendar/days.ts'
import { tile } from '../calendar/windows.ts'
import { openAgain, provenStill, toRead, watermarkOf } from '../connectors/destination/coverage.ts'
import type { LedgerRow } from '../connectors/destination/coverage.ts'
import { FIRST_DAYS, lookbackOf } from '../connectors/destination/lookback.ts'
import type { Endpoint } from '../connectors/partner/endpoint.ts'
import { PartnerError } from '../errors.ts'
import { pastUntilMs } from '../reading/api-time.ts'
import { checkOffered } from '../reading/check-offered.ts'
import type { Dependencies } from './dependencies.ts'
import { waitOutOutage } from './wait-out-outage.ts'

/** A window as it travels through workflows: ISO texts in UTC, half-open. */
export interface WindowText {
  start: string
  end: string
}

export interface PlanInput {
  store: string
  stream: string
  timeZone: string
  /**
   * Store days `yyyy-MM-dd`, `to` exclusive; without them: since the watermark, with lookback. The
   * range ends where the business day before `to` does, which may be after midnight.
   */
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

/** Whether an API has a list is asked for so long, well below the timeout of planning. */
const LONGEST_ASKING_MS = 4 * MINUTE_MS

/** So often a busy API is asked whether it has a list. */
const BUSY_ATTEMPTS = 3

/** Reads the ledger: what is unproven or inside the lookback, in the endpoint's own calendar. */
export async function planWindows(dependencies: Dependencies, input: PlanInput): Promise<Plan> {
  const { destination, progress } = dependencies
  const stream = dependencies.stream(input.stream)
  const known = await destination.ledger.windows(input.store, stream.name)
  const rows = provenStill(known, await openAgain(destination.ledger, input, known))
  const lateness = await destination.ledger.lateness(input.store, stream.name)
  const nowMs = await pastUntilMs(dependencies, input.store)
  const lookbackMs = lookbackOf(stream, lateness, nowMs)
  const range = chooseRange(input, {
    rows,
    lookbackMs,
    dayStartsAt: dependencies.store(input.store).settings.dayStartsAt ?? '00:00',
    nowMs,
  })
  // A list without dates is never settled: nothing would say so, and its lookback has no end.
  const readsAll = input.again === true || input.sweepDays !== undefined
  const settledAfterMs = readsAll ? Number.POSITIVE_INFINITY : lookbackMs
  const isNothing = range.endMs <= range.startMs
  const wanted = (isNothing ? [] : toRead(rows, range, settledAfterMs))
    .flatMap(part => tile(part, input.timeZone, stream.windowing))
    .reverse()
  const refused = await findRefusal(dependencies, input, known, wanted)
  const windows = (refused === undefined ? wanted : [])
    .map(({ startMs, endMs }) => ({ start: toIso(startMs), end: toIso(endMs) }))
    .filter(({ start }) => input.before === undefined || start < input.before)
  progress.planned += Math.min(windows.length, WINDOWS_PER_PLAN)
  if (windows.length > 0) noteEnd(dependencies.store(input.store).endpoint(stream), range)
  return {
    range: { start: toIso(range.startMs), end: toIso(range.endMs) },
    windows: windows.slice(0, WINDOWS_PER_PLAN),
    more: windows.length > WINDOWS_PER_PLAN,
    ...(refused === undefined ? {} : { findings: [refused] }),
  }
}

/** Windows may begin in any order: which of them is the newest has to be known before. */
function noteEnd(endpoint: Endpoint, { endMs }: Interval): void {
  endpoint.newestEndMs = Math.max(endpoint.newestEndMs, endMs)
}

/**
 * Of a list that not every API has, and that nobody asked for by name: the refusal's finding. What
 * the books are made of is never one, nor what was there once: its absence is an alarm (INV-11).
 */
async function findRefusal(
  dependencies: Dependencies,
  { store: id, stream: name, timeZone, tolerant, range }: PlanInput,
  rows: readonly LedgerRow[],
  windows: readonly Interval[],
): Promise<string | undefined> {
  const { destination, store, now } = dependencies
  const stream = dependencies.stream(name)
  const wasThere = stream.bookedAt !== undefined || rows.some(({ status }) => status === 'proven')
  const mayBeMissing = stream.optional === true || !wasThere
  if (!mayBeMissing || tolerant !== true || range !== undefined) return undefined
  const endpoint = store(id).endpoint(stream)
  const signal = AbortSignal.any([cancellationSignal(), AbortSignal.timeout(LONGEST_ASKING_MS)])
  try {
    return await waitOutOutage(dependencies, id, signal, () =>
      checkOffered({ store: id, endpoint, destination, now, signal, timeZone }, windows),
    )
  } catch (error) {
    // An API that stays busy with this question is asked for the list itself.
    const isBusy = error instanceof PartnerError && error.code !== 'PARTNER_UNREACHABLE'
    if (isBusy && activityInfo().attempt >= BUSY_ATTEMPTS) return undefined
    throw error
  }
}

interface KnownOfRange {
  rows: readonly LedgerRow[]
  lookbackMs: number
  /** The store's business day begins at this time of day, `HH:mm`. */
  dayStartsAt: string
  nowMs: number
}

/**
 * The future has not happened yet: no window reaches beyond now, or its proof would claim more than
 * was there.
 */
function chooseRange(
  { from, to, sweepDays, timeZone, range }: PlanInput,
  { rows, lookbackMs, dayStartsAt, nowMs }: KnownOfRange,
): Interval {
  if (range !== undefined) return { startMs: fromIso(range.start), endMs: fromIso(range.end) }
  if (sweepDays !== undefined) return sweptRange(sweepDays, lookbackMs, nowMs)
  const endMs =
    to === undefined ? nowMs : Math.min(businessDayStart(to, { timeZone, dayStartsAt }), nowMs)
  const startMs =
    from === undefined ? startWithoutFrom(rows, lookbackMs, endMs) : dayStart(from, timeZone)
  return { startMs: Math.min(startMs, endMs), endMs }
}

/**
 * Where a run begins that was given no first day: its lookback before the watermark, which may lie
 * after `endMs`, or with what is not proven before that; where nothing was read before,
 * `FIRST_DAYS` before its end.
 */
export function startWithoutFrom(
  rows: readonly LedgerRow[],
  lookbackMs: number,
  endMs: number,
): number {
  const reached = watermarkOf(rows)
  if (reached === undefined) return endMs - FIRST_DAYS * DAY_MS
  // A list without dates is read whole, from wherever: its lookback has no end.
  if (!Number.isFinite(lookbackMs)) return reached
  const open = rows.filter(({ status }) => status === 'unproven').map(({ startMs }) => startMs)
  return Math.min(reached - lookbackMs, ...open)
}

/**
 * What every run reads again anyway is left to it, so that what a sweep finds is what the lookback
 * has missed. A list without dates is read whole each time, here too.
 */
function sweptRange(days: number, lookbackMs: number, nowMs: number): Interval {
  const startMs = nowMs - days * DAY_MS
  return {
    startMs,
    endMs: Number.isFinite(lookbackMs) ? Math.max(startMs, nowMs - lookbackMs) : nowMs,
  }
}
