import { toIso } from '../calendar/days.ts'
import type { Delivery } from '../connectors/destination/notices.ts'
import type { DueLine } from '../schedules/read-due.ts'
import { HEARTBEAT } from './settings.ts'

/**
 * The business day of the newest nights of all stores, where each of them is done in time;
 * undefined where one is not, or none is scheduled. Pure.
 */
export function goodMorning(
  stores: readonly string[],
  due: readonly DueLine[],
  nowMs: number,
): string | undefined {
  const newest = stores.map(store =>
    due
      .filter(line => line.schedule === `nightly/${store}` && Date.parse(line.dueAt) <= nowMs)
      // A night that somebody triggers for an earlier day says nothing of the newest.
      .toSorted((one, other) => (one.day < other.day ? 1 : -1))
      .at(0),
  )
  const days = new Set(newest.map(line => line?.day))
  if (days.size !== 1 || newest.some(line => line?.standing !== 'done')) return undefined
  return newest[0]!.day
}

/** Once for each morning. */
export const heartbeatOf = (database: string, day: string, nowMs: number): Delivery => ({
  id: `${database}/${day}/${HEARTBEAT}`,
  channel: HEARTBEAT,
  state: 'beat',
  document: JSON.stringify({ day }),
  at: toIso(nowMs),
})
