import { addDays, daysBetween } from '../calendar/days.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { datasetsOf } from '../exports/datasets.ts'
import { IMPORTED_DATASETS } from '../exports/journal/write-formats.ts'
import { compareTexts } from '../text/compare-texts.ts'

/** What of a file decides whether a reader should load it. */
export interface RangeFile {
  store: string
  dataset: string
  format: string
  /** The second day exclusive. */
  from: string
  to: string
  /** No longer on the disk. */
  gone: boolean
}

/** Of files that hold the same days, which to load. */
export const PREFERENCES = ['days', 'ranges'] as const
export type Preference = (typeof PREFERENCES)[number]

/** Lists that have no days: each file holds all of them. */
const WHOLE = new Set(
  datasetsOf(streams)
    .filter(({ relation, windowing }) => relation === undefined && windowing === 'full-refresh')
    .map(({ name }) => name),
)

export interface CurrentFiles<File> {
  /** No two of them hold the same day of a store, dataset and format. */
  current: Set<File>
  /** What holds one of their days too, with the number of its days that none of them holds. */
  leftOut: Map<File, number>
}

/**
 * What a reader should load of the newest files of each range, so that it counts nothing twice. Of
 * a journal that are all of them: each tells of what came since the one before, and a reversal is
 * nothing without what it reverses. Of a list that has no days that is the file of the latest
 * range. Else files are taken one after the other, those on the disk first and of these the ones of
 * the fewest days (of the most where ranges are preferred), and a file that holds a day of one
 * before it is left out.
 */
export function currentFiles<File extends RangeFile>(
  newest: readonly File[],
  preference: Preference,
): CurrentFiles<File> {
  const current = new Set<File>()
  const leftOut = new Map<File, number>()
  const groups = Map.groupBy(newest, ({ store, dataset, format }) =>
    JSON.stringify([store, dataset, format]),
  )
  for (const group of groups.values()) {
    if (IMPORTED_DATASETS.includes(group[0]!.dataset)) {
      for (const file of group) current.add(file)
      continue
    }
    if (WHOLE.has(group[0]!.dataset)) {
      current.add(group.toSorted(byEnd).at(-1)!)
      continue
    }
    const covered = new Set<string>()
    const doubled: File[] = []
    for (const file of group.toSorted(byTurn(preference))) {
      const days = daysOf(file)
      if (days.some(day => covered.has(day))) doubled.push(file)
      else {
        current.add(file)
        for (const day of days) covered.add(day)
      }
    }
    for (const file of doubled)
      leftOut.set(file, daysOf(file).filter(day => !covered.has(day)).length)
  }
  return { current, leftOut }
}

const daysOf = ({ from, to }: RangeFile): string[] =>
  Array.from({ length: daysBetween(from, to) }, (_, index) => addDays(from, index))

const byEnd = (a: RangeFile, b: RangeFile): number =>
  compareTexts(a.to, b.to) || compareTexts(a.from, b.from)

const byTurn =
  (preference: Preference) =>
  (a: RangeFile, b: RangeFile): number => {
    const longer = daysBetween(a.from, a.to) - daysBetween(b.from, b.to)
    return (
      Number(a.gone) - Number(b.gone) || (preference === 'days' ? longer : -longer) || byEnd(b, a)
    )
  }
