import pLimit from 'p-limit'
import type { WireRange } from '../../calendar/windows.ts'
import { TillageError } from '../../errors.ts'
import type { Stream } from '../stream.ts'
import { isWorthGoingOn, MAX_FAILURES } from './paginate.ts'
import type { Verdict } from './prove.ts'
import { readWindow, startReading } from './read-window.ts'
import type { Endpoint, Reading, Scope, StagePage } from './read-window.ts'

/** The governor decides how many requests are under way; this only keeps it busy. */
const LISTS_AT_ONCE = 4

/**
 * Reads a list that exists once for each value, and judges them as one: proven only if each of them
 * is.
 */
export async function readEach(
  reading: Reading,
  endpoint: Endpoint,
  wire: WireRange,
  values: readonly string[],
  stage: StagePage,
  signal: AbortSignal,
): Promise<Exclude<Verdict, { status: 'again' }>> {
  const slots = pLimit(LISTS_AT_ONCE)
  const failures: unknown[] = []
  let failuresInARow = 0
  const readNext = async (value: string): Promise<void> => {
    if (failuresInARow >= MAX_FAILURES) return
    try {
      await readOne(reading, endpoint, wire, value, stage, signal)
      if (failuresInARow < MAX_FAILURES) failuresInARow = 0
    } catch (error) {
      failures.push(error)
      // A list that is refused says nothing of the next one; a refused key and an API that is gone
      // do.
      if (!isOfOneList(error)) failuresInARow += isWorthGoingOn(error) ? 1 : MAX_FAILURES
    }
  }
  await Promise.all(
    values.filter(value => !reading.lists.has(value)).map(value => slots(readNext, value)),
  )
  if (failures.length > 0) throw failures.find(error => !isOfOneList(error)) ?? failures[0]
  const verdicts = [...reading.lists.values()]
  const doubtful = verdicts.find(({ status }) => status === 'unproven')
  if (doubtful !== undefined) return doubtful
  const rules = [
    ...new Set(verdicts.map(verdict => (verdict.status === 'proven' ? verdict.by : ''))),
  ]
  return {
    status: 'proven',
    by: `each of ${verdicts.length} lists${rules.length === 0 ? '' : `: ${rules.join('; ')}`}`,
    findings: [],
  }
}

const isOfOneList = (error: unknown): boolean =>
  error instanceof TillageError && error.recovery === 'park'

/** What is whole stays whole when another list fails: the next attempt reads what is missing. */
async function readOne(
  reading: Reading,
  endpoint: Endpoint,
  wire: WireRange,
  value: string,
  stage: StagePage,
  signal: AbortSignal,
): Promise<void> {
  const { staged, findings, watch } = reading
  const part: Reading = { ...startReading(reading.id), staged, findings, watch }
  try {
    reading.lists.set(
      value,
      await readWindow(part, endpoint, wire, stage, signal, scopeOf(endpoint.stream, value)),
    )
    reading.passes.push(...part.passes.slice(-1))
  } finally {
    reading.requests += part.requests
  }
}

/** Where the value goes: into the path, or into a parameter. */
function scopeOf({ path, parent }: Stream, value: string): Scope {
  return parent?.parameter === undefined
    ? { path: path.replace(/\{\w+\}/, encodeURIComponent(value)), query: {} }
    : { path, query: { [parent.parameter]: value } }
}
