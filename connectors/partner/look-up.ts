import { PartnerError, TillageError } from '../../errors.ts'
import type { Endpoint } from './endpoint.ts'
import { listIn } from './envelopes.ts'
import type { Page } from './read-page.ts'
import { pathSegment } from './request.ts'

/**
 * What the API says of one record by its id. `unclear`: it failed, answered something else than was
 * asked for, or cannot be asked for such an id.
 */
export type LookedUp =
  | { kind: 'record'; page: Page; deleted: boolean }
  | { kind: 'missing' }
  | { kind: 'unclear' }

/** What of an endpoint a look-up needs. */
export type LookUpPlace = Pick<Endpoint, 'stream' | 'client' | 'governor' | 'readPage'>

/** What says that there is no such record: not found, and gone for good. */
export const GONE: ReadonlySet<number> = new Set([404, 410])

const ANY_TIME = { startMs: -Infinity, endMs: Infinity }

/**
 * Asks for one record where the stream has a place for that. A refusal that says nothing of the
 * record is no error here; what may succeed when it is tried again is thrown.
 */
export async function lookUp(
  { stream, client, governor, readPage }: LookUpPlace,
  id: string,
  signal: AbortSignal,
): Promise<LookedUp> {
  const { lookup } = stream
  if (lookup === undefined) return { kind: 'unclear' }
  const segment = lookup.query === undefined ? pathSegment(id) : ''
  if (segment === undefined) return { kind: 'unclear' }
  const path = lookup.path.replace('{id}', segment)
  const query = lookup.query === undefined ? {} : { [lookup.query]: id }
  const redacted = { path: lookup.path, query: {} }
  let body: Buffer
  try {
    body = await governor.run(() => client.get(path, query, signal, redacted))
  } catch (error) {
    return { kind: refusedAs(error, lookup) }
  }
  const page = pageOfOne(body, id, readPage)
  if (page !== undefined) return { kind: 'record', page, deleted: saysDeleted(body) }
  // Asked by a query parameter, an empty list is the only way to say that there is none.
  const isEmptyList = readPageOrNone(() => readPage(body, ANY_TIME))?.rows.length === 0
  return { kind: lookup.query !== undefined && isEmptyList ? 'missing' : 'unclear' }
}

/** What a refusal says of the record; throws what is about the key, or may pass by itself. */
function refusedAs(error: unknown, lookup: { query?: string }): 'missing' | 'unclear' {
  if (!(error instanceof TillageError) || error.code === 'PARTNER_KEYS') throw error
  if (error.recovery === 'retry') throw error
  const status = error instanceof PartnerError ? (error.refused?.status ?? 0) : 0
  return lookup.query === undefined && GONE.has(status) ? 'missing' : 'unclear'
}

/** The record that was asked for, alone or, as some answer, in a list of one. */
function pageOfOne(body: Buffer, id: string, readPage: Endpoint['readPage']): Page | undefined {
  const asList = Buffer.concat([Buffer.from('['), body, Buffer.from(']')])
  const isIt = (page: Page | undefined): boolean =>
    page?.rows.length === 1 && page.rows[0]!.id === id
  const single = readPageOrNone(() => readPage(asList, ANY_TIME))
  if (isIt(single)) return single
  const list = readPageOrNone(() => readPage(body, ANY_TIME))
  return isIt(list) ? list : undefined
}

/** Of one record, alone or in a list of one; the body was parsed before, so it is JSON. */
function saysDeleted(body: Buffer): boolean {
  const answer: unknown = JSON.parse(body.toString('utf8'))
  const [record] = listIn(answer) ?? [answer]
  return (record as { deleted?: unknown } | null | undefined)?.deleted === true
}

function readPageOrNone(read: () => Page): Page | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof TillageError) return undefined
    throw error
  }
}
