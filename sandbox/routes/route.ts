import { disturb } from '../busy.ts'
import type { Listing } from '../listing.ts'
import { writePage } from '../listing.ts'
import { ApiError, notFound } from '../api-error.ts'
import type { Collection } from '../collection.ts'
import type { Query } from '../parameters.ts'
import { readPaging } from '../parameters.ts'
import type { State } from '../state.ts'
import type { World } from '../world.ts'

/** One authenticated request to one operation. */
export interface Call {
  state: State
  /** The store of the developer key; a route sees no other. */
  world: World
  path: string
  query: Query
  params: Readonly<Record<string, string>>
  nowMs: number
}

/** One operation of the documentation. `answer` returns JSON, which goes out under status 200. */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  answer(call: Call): string | Buffer
}

export const get = (path: string, answer: Route['answer']): Route => ({ method: 'GET', path, answer })

/** What `error-200` and `html-200` answer instead of a list: the server hook knows how to send it. */
export class InsteadOfList extends Error {
  readonly kind: 'error' | 'html'

  constructor(kind: 'error' | 'html') {
    super(kind)
    this.name = 'InsteadOfList'
    this.kind = kind
  }
}

/** A page of a list, as the profiles in force have it. */
export function list(call: Call, listing: Listing): Buffer {
  const { state, world, path } = call
  const { behaviour } = state
  const paging = readPaging(call.query, behaviour)
  if (behaviour.instead !== undefined) throw new InsteadOfList(behaviour.instead)
  const { seed } = state.settings
  if (behaviour.busy) disturb(listing.collection, listing.range, call.nowMs, seed, state.requestNumber)
  const pathNumber = state.countPath(world.shop.developerKey, path)
  return writePage(listing, behaviour, { seed, path, requestNumber: state.requestNumber, pathNumber, ...paging })
}

/** One record by its id. */
export function single(collection: Collection, id: string, field: string): string {
  const number = collection.find(id)
  if (number === undefined) throw notFound(field, `There is nothing with id ${id.slice(0, 64)}`)
  return collection.text(number)
}

export const wrongMethod = (): ApiError => new ApiError(405, 'method', 'This path does not take this method')
