import { statSync } from 'node:fs'
import { addDays } from '../calendar/days.ts'
import { countHeldBack, whyHeldBack } from '../exports/journal/held.ts'
import { folderOf, newestManifest } from '../exports/revisions/manifest.ts'
import type { BusinessFacts } from './judge-store.ts'

type HeldDays = BusinessFacts['held']

/** What each folder said when it was read, and its time then. */
const known = new Map<string, { changedMs: number; held: HeldDays }>()
/** Of long processes: a month of some hundred stores. */
const MOST_KNOWN = 20_000

/**
 * Whether the newest checks of a day hold its journal back. Files of a day are made under other
 * names and renamed, and a name belongs to its bytes: a folder that has not changed says the same.
 */
export function heldDay(exports: string, store: string, day: string): HeldDays {
  const range = { store, days: { from: day, to: addDays(day, 1) } }
  const folder = folderOf(exports, range)
  const changedMs = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const before = known.get(folder)
  if (before?.changedMs === changedMs) return before.held
  const newest = newestManifest(exports, range)
  const why = whyHeldBack(newest)
  const held = why === undefined ? [] : [{ day, why, counted: countHeldBack(newest) ?? why }]
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(folder, { changedMs, held })
  return held
}
