/**
 * A page that is larger than the store's limits, or that the API refuses to give so large, is asked
 * for with fewer rows. The list is then read from its beginning: a short page among full ones would
 * look like the end.
 */
import {
  LARGEST_LIMIT,
  findLargestLimit,
  limitEvidence,
  refusesParameters,
} from '../connectors/partner/largest-limit.ts'
import type { Stream } from '../connectors/stream.ts'
import type { PartnerError } from '../errors.ts'
import { TillageError } from '../errors.ts'
import type { ListContext } from './context.ts'
import { requestPage } from './reading.ts'
import type { ListAddress, Reading } from './reading.ts'

/** Of the rows of a page, where that was too large an answer. */
const FEWER = 10

/**
 * Makes the list be read once more with fewer rows a page, where that may help; for each of the two
 * reasons once in a reading. Throws any other error.
 */
export async function beginWithFewer(
  context: ListContext,
  reading: Reading,
  list: ListAddress,
  error: unknown,
): Promise<undefined> {
  const { endpoint } = context
  const limit = reading.limit ?? endpoint.stream.pageCap
  const isLarge = isTooLarge(error, endpoint.stream, { reading, limit })
  if (!isLarge && !isRefusedAtOnce(error, reading)) throw error
  // Another window may have found out meanwhile.
  if (endpoint.pageLimit >= limit)
    endpoint.pageLimit = isLarge
      ? fewerOf(reading, limit)
      : await learnLimit(context, reading, list, { limit, error })
  reading.current = undefined
  return undefined
}

const isTooLarge = (
  error: unknown,
  { answers }: Stream,
  { reading, limit }: { reading: Reading; limit: number },
): boolean =>
  error instanceof TillageError &&
  error.code === 'PARTNER_TOO_LARGE' &&
  answers === undefined &&
  limit >= FEWER &&
  !reading.findings.has('page_too_large')

function fewerOf({ findings }: Reading, limit: number): number {
  const fewer = Math.floor(limit / FEWER)
  findings.set(
    'page_too_large',
    `a page of ${limit} rows is larger than limits.megabytesPerAnswer; asked for ${fewer}`,
  )
  return fewer
}

/** A later page may be refused for its offset. */
const isRefusedAtOnce = (error: unknown, { current, findings }: Reading): error is PartnerError =>
  refusesParameters(error) && current?.pages.length === 0 && !findings.has('limit_refused')

/** The largest limit that the API takes; throws its refusal where the limit is not the reason. */
async function learnLimit(
  context: ListContext,
  reading: Reading,
  list: ListAddress,
  { limit: refused, error }: { limit: number; error: unknown },
): Promise<number> {
  const taken = await findLargestLimit(refused, limit =>
    requestPage(context, reading, list, { offset: 0, limit }),
  )
  if (taken === undefined) throw error
  const evidence = limitEvidence(refused, error as PartnerError, taken)
  reading.findings.set('limit_refused', evidence)
  reading.facts.push({ name: LARGEST_LIMIT, value: String(taken), evidence })
  return taken
}
