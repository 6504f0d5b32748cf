import { PartnerError, TillageError } from '../../errors.ts'
import type { Page } from './read-page.ts'
import type { Endpoint } from './read-window.ts'

/** What the API says of one record by its id. `unclear`: it failed, or answered something else than was asked for. */
export type LookedUp = { kind: 'record'; page: Page } | { kind: 'missing' } | { kind: 'unclear' }

const ANY_TIME = { startMs: -Infinity, endMs: Infinity }

/** Asks for one record where the stream has a place for that. A failure that says nothing of the record is no error here. */
export async function lookUp({ stream, client, governor, readPage }: Endpoint, id: string, signal: AbortSignal): Promise<LookedUp> {
  const { lookup } = stream
  if (lookup === undefined) return { kind: 'unclear' }
  const path = lookup.path.replace('{id}', encodeURIComponent(id))
  let body: Buffer
  try {
    body = await governor.run(() => client.get(path, lookup.query === undefined ? {} : { [lookup.query]: id }, signal, { path: lookup.path, query: {} }))
  } catch (error) {
    if (!(error instanceof TillageError) || error.code === 'PARTNER_KEYS') throw error
    return { kind: lookup.query === undefined && error instanceof PartnerError && error.refused?.status === 404 ? 'missing' : 'unclear' }
  }
  const single = takeApart(() => readPage(Buffer.concat([Buffer.from('['), body, Buffer.from(']')]), ANY_TIME))
  if (single?.rows.length === 1 && single.rows[0]!.id === id) return { kind: 'record', page: single }
  // Some answer a list of one; asked by a query parameter, an empty list is the only way to say that there is none.
  const list = takeApart(() => readPage(body, ANY_TIME))
  if (list?.rows.length === 1 && list.rows[0]!.id === id) return { kind: 'record', page: list }
  return { kind: lookup.query !== undefined && list?.rows.length === 0 ? 'missing' : 'unclear' }
}

function takeApart(read: () => Page): Page | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof TillageError) return undefined
    throw error
  }
}
