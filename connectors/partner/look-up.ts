import { PartnerError, TillageError } from '../../errors.ts'
import type { Endpoint } from './endpoint.ts'
import type { Page } from './read-page.ts'

/**
 * What the API says of one record by its id. `unclear`: it failed, or answered something else than
 * was asked for.
 */
export type LookedUp =
  | { kind: 'record'; page: Page; deleted: boolean }
  | { kind: 'missing' }
  | { kind: 'unclear' }

/** What says that there is no such record: not found, and gone for good. */
const GONE: ReadonlySet<number> = new Set([404, 410])

const ANY_TIME = { startMs: -Infinity, endMs: Infinity }

/**
 * Asks for one record where the stream has a place for that. A refusal that says nothing of the
 * record is no error here; what may succeed when it is tried again is thrown.
 */
export async function lookUp(
  { stream, client, governor, readPage }: Endpoint,
  id: string,
  signal: AbortSignal,
): Promise<LookedUp> {
  const { lookup } = stream
  if (lookup === undefined) return { kind: 'unclear' }
  const path = lookup.path.replace('{id}', encodeURIComponent(id))
  let body: Buffer
  try {
    body = await governor.run(() =>
      client.get(path, lookup.query === undefined ? {} : { [lookup.query]: id }, signal, {
        path: lookup.path,
        query: {},
      }),
    )
  } catch (error) {
    if (!(error instanceof TillageError) || error.code === 'PARTNER_KEYS') throw error
    if (error.recovery === 'retry') throw error
    return {
      kind:
        lookup.query === undefined &&
        error instanceof PartnerError &&
        GONE.has(error.refused?.status ?? 0)
          ? 'missing'
          : 'unclear',
    }
  }
  const single = takeApart(() =>
    readPage(Buffer.concat([Buffer.from('['), body, Buffer.from(']')]), ANY_TIME),
  )
  if (single?.rows.length === 1 && single.rows[0]!.id === id)
    return { kind: 'record', page: single, deleted: saysDeleted(body) }
  // Some answer a list of one; asked by a query parameter, an empty list is the only way to say
  // that there is none.
  const list = takeApart(() => readPage(body, ANY_TIME))
  if (list?.rows.length === 1 && list.rows[0]!.id === id)
    return { kind: 'record', page: list, deleted: saysDeleted(body) }
  return { kind: lookup.query !== undefined && list?.rows.length === 0 ? 'missing' : 'unclear' }
}

/** Of one record, alone or in a list of one; the body was taken apart before, so it is JSON. */
function saysDeleted(body: Buffer): boolean {
  const answer = JSON.parse(body.toString('utf8')) as { deleted?: unknown; values?: unknown }
  const [record] = [
    Array.isArray(answer) ? answer : Array.isArray(answer.values) ? answer.values : [answer],
  ].flat() as { deleted?: unknown }[]
  return record?.deleted === true
}

function takeApart(read: () => Page): Page | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof TillageError) return undefined
    throw error
  }
}
