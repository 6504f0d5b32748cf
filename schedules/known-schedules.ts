import { toIso } from '../calendar/days.ts'
import type { StoredSchedule as Kept, Schedules } from '../connectors/destination/schedules.ts'
import type { ScheduleFacts } from './rules/facts.ts'
import type { WantedSchedule } from './wanted-schedules.ts'

/**
 * What was given to Temporal last. The destination keeps it, so that
 * `status` knows what is due without a server.
 */
export type KnownSchedule = Kept<ScheduleFacts>

/** Ordered by id. */
export const knownSchedules = async (schedules: Schedules): Promise<KnownSchedule[]> =>
  (await schedules.all()) as KnownSchedule[]

/** How a schedule stands in Temporal right now. */
export interface ScheduleState {
  nowMs: number
  isPaused: boolean
  note: string | undefined
  /** Due at other times from now on, so what was due before does not count as missed. */
  isNew: boolean
}

/** What is to be kept of a schedule that was just given to Temporal. */
export function toKnownSchedule(
  { id, kind, store, facts }: WantedSchedule,
  before: KnownSchedule | undefined,
  { nowMs, isPaused, note, isNew }: ScheduleState,
): KnownSchedule {
  const now = toIso(nowMs)
  return {
    id,
    kind,
    store,
    facts,
    since: isNew || before === undefined ? now : before.since,
    pausedAt: isPaused ? (before?.pausedAt ?? now) : undefined,
    note,
  }
}
