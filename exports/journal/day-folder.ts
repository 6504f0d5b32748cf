import { statSync } from 'node:fs'
import { addDays } from '../../calendar/days.ts'
import { folderOf, newestManifest } from '../revisions/manifest.ts'
import type { StreamState } from '../revisions/manifest.ts'
import { heldBack } from './held.ts'
import type { HeldBack } from './held.ts'
import { BOOKS_OF_RECORD } from './posted.ts'

/** What the newest manifest of a business day says, and the checks that it lists. */
export interface DayFolder {
  states: readonly Pick<StreamState, 'stream' | 'revision'>[]
  /** The newest number of a journal that was given out; undefined: none was. */
  journalRevision: number | undefined
  heldBy: HeldBack | undefined
}

/** What each folder said when it was read, and its time then. */
const known = new Map<string, { changedMs: number; said: DayFolder | undefined }>()
/** Of long processes: a year of some hundred stores. */
const MOST_KNOWN = 50_000

/**
 * Undefined where nothing of the day was given out. Files of a day are made under other names and
 * renamed, and a name belongs to its bytes: a folder that has not changed says the same.
 */
export function readDayFolder(exports: string, store: string, day: string): DayFolder | undefined {
  const range = { store, days: { from: day, to: addDays(day, 1) } }
  const folder = folderOf(exports, range)
  const changedMs = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const before = known.get(folder)
  if (before?.changedMs === changedMs) return before.said
  const newest = newestManifest(exports, range)
  const said = newest && {
    states: newest.manifest.states.map(({ stream, revision }) => ({ stream, revision })),
    journalRevision: newest.manifest.files
      .filter(({ dataset }) => dataset === BOOKS_OF_RECORD)
      .map(({ revision }) => revision)
      .toSorted((one, other) => one - other)
      .at(-1),
    heldBy: heldBack(newest),
  }
  // What was changed in its place may be put right in its place, too: the folder tells neither.
  if (said?.heldBy?.changed !== undefined) return said
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(folder, { changedMs, said })
  return said
}
