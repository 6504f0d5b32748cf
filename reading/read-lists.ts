import pLimit from 'p-limit'
import { pathSegment } from '../connectors/partner/request.ts'
import type { Stream } from '../connectors/stream.ts'
import { PartnerError, TillageError } from '../errors.ts'
import type { ListContext, ReadContext } from './context.ts'
import { MAX_FAILURES, mayContinueAfter } from './paginate.ts'
import { readWindow } from './read-window.ts'
import type { FinalVerdict, ListAddress, Reading } from './reading.ts'
import { startReading } from './reading.ts'

/** The governor decides how many requests are under way; this only keeps it busy. */
const LISTS_AT_ONCE = 4

/** Reads a window of a stream: its one list, or one for each value of its parent. */
export async function readLists(context: ReadContext, reading: Reading): Promise<FinalVerdict> {
  const { parent } = context.stream
  if (parent === undefined) return readWindow(context, reading)
  const values = await context.destination.rows.parentValues(context.store, parent)
  return readListOfEach(context, reading, values)
}

/**
 * Reads a list that exists once for each value, and judges them as one: proven only if each of them
 * is. Lists that were read stay read when another list fails: the next attempt reads what is
 * missing.
 */
export async function readListOfEach(
  context: ListContext,
  reading: Reading,
  values: readonly string[],
): Promise<FinalVerdict> {
  const slots = pLimit(LISTS_AT_ONCE)
  const failures: unknown[] = []
  let failuresInARow = 0
  const readNext = async (value: string): Promise<void> => {
    if (failuresInARow >= MAX_FAILURES) return
    try {
      await readListOf(context, reading, value)
      if (failuresInARow < MAX_FAILURES) failuresInARow = 0
    } catch (error) {
      failures.push(error)
      // A list that is refused says nothing of the next one; a refused key and an API that is gone
      // do.
      if (!isOfOneList(error)) failuresInARow += mayContinueAfter(error) ? 1 : MAX_FAILURES
    }
  }
  const left = values.filter(value => !reading.lists.has(value))
  await Promise.all(left.map(value => slots(readNext, value)))
  if (failures.length > 0) throw failures.find(error => !isOfOneList(error)) ?? failures[0]
  return judgeTogether([...reading.lists.values()])
}

function judgeTogether(verdicts: readonly FinalVerdict[]): FinalVerdict {
  const unproven = verdicts.find(({ status }) => status === 'unproven')
  if (unproven !== undefined) return unproven
  const rules = new Set(
    verdicts.flatMap(verdict => (verdict.status === 'proven' ? [verdict.by] : [])),
  )
  const named = rules.size === 0 ? '' : `: ${[...rules].join('; ')}`
  return { status: 'proven', by: `each of ${verdicts.length} lists${named}`, findings: [] }
}

const isOfOneList = (error: unknown): boolean =>
  error instanceof TillageError && error.recovery === 'park' && error.code !== 'WINDOW_TOO_LARGE'

async function readListOf(context: ListContext, reading: Reading, value: string): Promise<void> {
  const { begunMs, staged, keeping, findings, facts, watch, earlierMs } = reading
  const shared = { begunMs, staged, keeping, findings, facts, watch, earlierMs }
  const part: Reading = { ...startReading(reading.id), ...shared }
  try {
    const verdict = await readWindow(context, part, addressOf(context.endpoint.stream, value))
    reading.lists.set(value, verdict)
    reading.passes.push(...part.passes.slice(-1))
    reading.envelope = part.envelope ?? reading.envelope
  } finally {
    reading.requests += part.requests
  }
}

/** Where the value goes: into the path, or into a parameter. */
function addressOf({ path, parent }: Stream, value: string): ListAddress {
  if (parent?.parameter !== undefined) return { path, query: { [parent.parameter]: value } }
  const segment = pathSegment(value)
  if (segment === undefined)
    throw new PartnerError(
      'PARTNER_REFUSED',
      `GET ${path} was not asked for one of the ${parent?.stream}: its id is nothing but dots, ` +
        'so that the address would be another',
    )
  return { path: path.replace(/\{\w+\}/, segment), query: {} }
}
