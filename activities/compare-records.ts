import { dayOf } from '../calendar/clock.ts'
import { addDays } from '../calendar/days.ts'
import { lookUp } from '../connectors/partner/look-up.ts'
import type { LookedUp } from '../connectors/partner/look-up.ts'
import type { Endpoint } from '../connectors/partner/read-window.ts'
import { compareRows, mendRows, sameWhereBoth } from '../connectors/sqlite/compare-rows.ts'
import type { DifferentRow } from '../connectors/sqlite/compare-rows.ts'
import { rowsNumbered } from '../connectors/sqlite/sampled-rows.ts'
import { TillageError } from '../errors.ts'
import type { SampledRecords } from './choose-sample.ts'
import type { Compared } from './compare-window.ts'
import type { Dependencies } from './dependencies.ts'

export interface CompareRecordsInput extends SampledRecords {
  store: string
  timeZone: string
  /** Mend what can be mended here, and prepare the rest for the reading that follows. */
  heal: boolean
}

export interface RecordComparison extends Compared {
  /** Numbers of the rows that are wrong, to look at them once more. */
  wrong: number[]
  /** Store days to read again, `to` exclusive each. */
  again: { from: string; to: string }[]
}

/**
 * Asks the API for single records by their id and compares them with ours, where the stream has a
 * place for that. It finds what no list shows: a list that is behind its records, and rows of ours
 * that the API does not have at all.
 */
export async function compareRecords(
  dependencies: Dependencies,
  { store, stream: name, rows: numbers, timeZone, heal }: CompareRecordsInput,
  signal: AbortSignal,
): Promise<RecordComparison> {
  const { destination, now } = dependencies
  const stream = dependencies.stream(name)
  const endpoint = dependencies.store(store).endpoint(stream)
  const rows = await rowsNumbered(destination.db, stream, store, numbers)
  const answers = await Promise.all(
    rows.map(async row => ({ row, found: await lookUpIfAnswered(endpoint, row.id, signal) })),
  )
  const different: (DifferentRow & { number: number })[] = []
  for (const { row, found } of answers) {
    if (found.kind !== 'record') continue
    const [difference] = await compareRows(
      destination.db,
      stream,
      store,
      found.page,
      0,
      sameWhereBoth,
    )
    if (difference !== undefined) different.push({ ...difference, number: row.number })
  }
  const wrong = different.filter(({ difference }) => difference !== 'changed')
  if (heal && wrong.length > 0) await destination.executeAll(mendRows(stream, store, different))
  const shown = answers.filter(({ found }) => found.kind === 'record').length
  // Where not one record is found by its id, "no such record" says nothing of any.
  const gone =
    shown === 0 ? [] : answers.filter(({ found }) => found.kind === 'missing').map(({ row }) => row)
  const times = [...different, ...gone].flatMap(({ modified }) =>
    stream.windowing === 'full-refresh'
      ? [now()]
      : modified === null
        ? []
        : [Math.min(modified, now())],
  )
  return {
    stream: name,
    compared: shown + gone.length,
    mismatched: wrong.length,
    changed: different.length - wrong.length + gone.length,
    wrong: wrong.map(({ number }) => number),
    again: rangesOf(times.map(ms => dayOf(ms, timeZone))),
  }
}

/** A record of the sample that the API does not answer for just now is left out. */
async function lookUpIfAnswered(
  endpoint: Endpoint,
  id: string,
  signal: AbortSignal,
): Promise<LookedUp> {
  try {
    return await lookUp(endpoint, id, signal)
  } catch (error) {
    if (error instanceof TillageError && error.recovery === 'retry') return { kind: 'unclear' }
    throw error
  }
}

/** Days as ranges: neighbours in one, so that each is read once. */
export function rangesOf(days: readonly string[]): { from: string; to: string }[] {
  const ranges: { from: string; to: string }[] = []
  for (const day of [...new Set(days)].toSorted()) {
    const last = ranges.at(-1)
    if (last?.to === day) last.to = addDays(day, 1)
    else ranges.push({ from: day, to: addDays(day, 1) })
  }
  return ranges
}
