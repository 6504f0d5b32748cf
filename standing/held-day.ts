import { readDayFolder } from '../exports/journal/day-folder.ts'
import type { BusinessFacts } from './judge-store.ts'

/** Whether the newest checks of a day hold its journal back. */
export function heldDay(exports: string, store: string, day: string): BusinessFacts['held'] {
  const folder = readDayFolder(exports, store, day)
  const why = folder?.heldBy
  return why === undefined ? [] : [{ day, why, counted: folder?.counted ?? why }]
}
