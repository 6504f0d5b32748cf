import { endpointOf, read } from './list-server.ts'
import type { Read, Ticket } from './list-server.ts'

export type Answer = { values: unknown[]; total?: number | string | undefined }

/** An honest page of a list, for liars to bend. `request` counts from 1. */
export interface Asked {
  offset: number
  limit: number
  request: number
  query: URLSearchParams
}

export const LIMIT = 5

export async function readFrom(answer: (asked: Asked) => Answer, concurrency = 3): Promise<Read> {
  let request = 0
  const endpoint = await endpointOf(
    query =>
      answer({
        offset: Number(query.get('skip') ?? 0),
        limit: Number(query.get('limit')),
        request: ++request,
        query,
      }),
    { concurrency },
  )
  return read(endpoint)
}

export const slice = (list: readonly Ticket[], offset: number, size = LIMIT): Ticket[] =>
  list.slice(offset, offset + size)

export const ids = (list: readonly Ticket[]): Set<string> => new Set(list.map(row => row.id))
