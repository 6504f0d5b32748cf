import { readDayFolder } from '../exports/journal/day-folder.ts'
import type { HeldDay } from './judge-store.ts'

/** Whether the newest checks of a day hold its journal back. */
export function heldDay(exports: string, store: string, day: string): HeldDay[] {
  const held = readDayFolder(exports, store, day)?.heldBy
  return held === undefined ? [] : [{ day, ...held }]
}
