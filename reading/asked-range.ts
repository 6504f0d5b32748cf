import { businessDayStart } from '../calendar/business-day.ts'
import { dayStart } from '../calendar/clock.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, toIso } from '../calendar/days.ts'
import {
  countUnproven,
  coverage,
  openAgain,
  withFailedAgain,
} from '../connectors/destination/coverage.ts'
import type { Destination } from '../connectors/destination/destination.ts'
import type { Ledger } from '../connectors/destination/ledger.ts'
import type { PartnerClient } from '../connectors/partner/client.ts'
import { pastUntilMs } from './api-time.ts'

/** Where the answer is looked up. */
export interface RangeSources {
  destination: Pick<Destination, 'behaviours' | 'ledger' | 'stores'>
  store(id: string): {
    client: Pick<PartnerClient, 'clock'>
    settings: { timeZone?: string | undefined; dayStartsAt?: string | undefined }
  }
}

/** What a run was asked to make proven. */
export interface AskedRange {
  store: string
  stream: string
  from?: string | undefined
  to?: string | undefined
  /** When it was asked, by this machine's clock. */
  startedMs: number
}

/** A part of the asked range that the ledger does not call proven; ISO texts, half-open. */
export interface NotProven {
  status: 'unproven' | 'never read'
  from: string
  to: string
}

/** A run that was joined may have been planned this much earlier. */
const PLANNED_BEFORE_MS = MINUTE_MS

/**
 * What the ledger says of the asked range, whatever a workflow answered: a report and its exit
 * status come from evidence, not from what somebody on the same server claims. Without dates a run
 * reads at least the last day.
 */
export async function findNotProven(
  sources: RangeSources,
  { store, stream, from, to, startedMs }: AskedRange,
): Promise<NotProven[]> {
  const { destination } = sources
  const { settings } = sources.store(store)
  // A database that lost what was read has lost the store's zone, too.
  const timeZone = settings.timeZone ?? (await destination.stores.find(store))?.timeZone ?? 'UTC'
  const now = (): number => startedMs - PLANNED_BEFORE_MS
  const reachableMs = await pastUntilMs({ ...sources, now }, store)
  const dayStartsAt = settings.dayStartsAt ?? '00:00'
  const asked = to === undefined ? reachableMs : businessDayStart(to, { timeZone, dayStartsAt })
  // Days that are past for this machine and not for the API could not be read: that is said.
  const isFarAhead = startedMs - reachableMs > HOUR_MS
  const endMs = Math.min(asked, isFarAhead && to !== undefined ? startedMs : reachableMs)
  const startMs = from === undefined ? endMs - DAY_MS : dayStart(from, timeZone)
  const rows = await destination.ledger.windows(store, stream)
  const failed = await openAgain(destination.ledger, { store, stream }, rows)
  return withFailedAgain(coverage(rows, { startMs, endMs }), failed, []).flatMap(part =>
    part.status === 'unproven' || part.status === 'never read'
      ? [{ status: part.status, from: toIso(part.startMs), to: toIso(part.endMs) }]
      : [],
  )
}

/** How many windows of a list are not proven, or were not when they were read again. */
export async function countOpen(ledger: Ledger, store: string, stream: string): Promise<number> {
  const rows = await ledger.windows(store, stream)
  return countUnproven(rows, await openAgain(ledger, { store, stream }, rows))
}
