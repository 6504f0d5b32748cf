import { wallTime } from '../calendar/clock.ts'
import type { NotifySettings } from './settings.ts'

/** Whether it is a time at which only what is critical is told; it may reach over midnight. */
export function isQuiet(quiet: NotifySettings['quiet'], nowMs: number): boolean {
  if (quiet === undefined) return false
  const now = wallTime(nowMs, quiet.zone)
  return quiet.from <= quiet.to
    ? now >= quiet.from && now < quiet.to
    : now >= quiet.from || now < quiet.to
}
