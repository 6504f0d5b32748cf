import type { ListContext } from './context.ts'
import type { Reading } from './reading.ts'

/** Which list of an endpoint: most have one. */
export interface ListAddress {
  path: string
  query: Readonly<Record<string, string>>
}

/** One request for a page, counted with those of the reading; windows begun earlier go first. */
export function requestPage(
  { endpoint, wire, signal }: ListContext,
  reading: Reading,
  list: ListAddress,
  { offset, limit }: { offset: number; limit: number },
): Promise<Buffer> {
  const { stream, client, offsetParameter } = endpoint
  const query = { ...wire.query, [offsetParameter]: String(offset), limit: String(limit) }
  return endpoint.send(reading.begunMs, () => {
    reading.requests++
    const redacted = { path: stream.path, query }
    return client.get(list.path, { ...list.query, ...query }, signal, redacted)
  })
}
