import { dayOf } from '../calendar/clock.ts'
import { rangesOfDays } from '../calendar/days.ts'
import { recordTexts } from '../connectors/answer/judge-records.ts'
import type { DifferentRow, SampledRow } from '../connectors/destination/rows.ts'
import type { Endpoint } from '../connectors/partner/endpoint.ts'
import { lookUp } from '../connectors/partner/look-up.ts'
import type { LookedUp } from '../connectors/partner/look-up.ts'
import { TillageError } from '../errors.ts'
import type { SampledRecords } from './choose-sample.ts'
import type { Compared } from './compare-window.ts'
import type { Dependencies } from './dependencies.ts'

export interface CompareRecordsInput extends SampledRecords {
  store: string
  timeZone: string
  /** Repair what needs no reading, and prepare the rest for the reading that follows. */
  heal: boolean
}

export interface RecordComparison extends Compared {
  /** Numbers of the rows that are wrong, to look at them once more. */
  wrong: number[]
  /** Store days to read again, `to` exclusive each. */
  again: { from: string; to: string }[]
}

interface AnsweredRow {
  row: SampledRow
  answer: LookedUp
}

/**
 * Asks the API for single records by their id and compares them with ours, where the stream has a
 * place for that. It finds what no list shows: a list that is behind its records, and rows of ours
 * that the API does not have at all.
 */
export async function compareRecords(
  dependencies: Dependencies,
  input: CompareRecordsInput,
  signal: AbortSignal,
): Promise<RecordComparison> {
  const { destination, now } = dependencies
  const { store, timeZone } = input
  const stream = dependencies.stream(input.stream)
  const endpoint = dependencies.store(store).endpoint(stream)
  const rows = await destination.rows.numbered(store, stream, input.rows)
  const answers = await Promise.all(
    rows.map(async row => ({ row, answer: await lookUpIfAnswered(endpoint, row.id, signal) })),
  )
  const different = await compareAnswers(dependencies, input, answers)
  const wrong = different.filter(({ difference }) => difference !== 'changed')
  if (input.heal && wrong.length > 0) await destination.rows.repair(store, stream, different)
  const shown = answers.filter(({ answer }) => answer.kind === 'record').length
  const missing = answers.filter(({ answer }) => answer.kind === 'missing').map(({ row }) => row)
  // Where not one record is found by its id, "no such record" says nothing of any.
  const gone = shown === 0 ? [] : missing
  const timesOf = ({ modified }: { modified: number | null }): number[] => {
    if (stream.windowing === 'full-refresh') return [now()]
    return modified === null ? [] : [Math.min(modified, now())]
  }
  return {
    stream: stream.name,
    compared: shown + gone.length,
    mismatched: wrong.length,
    changed: different.length - wrong.length + gone.length,
    wrong: wrong.map(({ number }) => number),
    // Each range is read once.
    again: rangesOfDays([...different, ...gone].flatMap(timesOf).map(ms => dayOf(ms, timeZone))),
  }
}

async function compareAnswers(
  { destination, stream: streamOf }: Dependencies,
  { store, stream }: CompareRecordsInput,
  answers: readonly AnsweredRow[],
): Promise<(DifferentRow & { number: number })[]> {
  const different: (DifferentRow & { number: number })[] = []
  for (const { row, answer } of answers) {
    if (answer.kind !== 'record') continue
    const records = recordTexts(streamOf(stream), answer.page)
    const toCompare = { records, readAtMs: 0, fields: 'common' } as const
    const [difference] = await destination.rows.compare(store, streamOf(stream), toCompare)
    if (difference !== undefined) different.push({ ...difference, number: row.number })
  }
  return different
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
