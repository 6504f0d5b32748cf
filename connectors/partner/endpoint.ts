import type { DayInterpretation } from '../../calendar/day-interpretations.ts'
import type { OffsetParameter, Stream } from '../stream.ts'
import type { PartnerClient } from './client.ts'
import type { Governor } from './governor.ts'
import { pageReaderOf } from './read-page.ts'
import type { PageReader } from './read-page.ts'
import { refuseForeignRows } from './read-rows.ts'

/**
 * How the server may read the days that it is asked for, as far as its answers have shown, and
 * whether asking for no more than that was enough the last time.
 */
export interface KnownCalendar {
  possible: readonly DayInterpretation[]
  isNarrow: boolean
}

/**
 * One list endpoint of one store, with what was learned of it. Shared by all windows of the stream.
 */
export interface Endpoint {
  stream: Stream
  client: PartnerClient
  governor: Governor
  /** Through the governor, in the order of windows. */
  send: RequestQueue
  /** Requests under way for one window, at most. */
  concurrency: number
  readPage: PageReader
  /** Rows that a page is asked for: what the API documents, until that was too large an answer. */
  pageLimit: number
  /** `start` or `skip`: the documented one, until the server is seen to ignore it. */
  offsetParameter: OffsetParameter
  /** Undefined: nothing is known yet. */
  calendar: KnownCalendar | undefined
  /** The few records that are asked for where nothing is known of the calendar. */
  probe: Promise<void> | undefined
  /** End of the newest window that was read, epoch milliseconds: beyond it there may be no rows. */
  newestEndMs: number
  /**
   * The window that goes first while nothing is known of the calendar, until it has been read; and
   * how many have gone first.
   */
  leader: { reading: Promise<void> | undefined; windows: number }
  /** Pinned once seen; a change is an error (INV-4), after which the next answer pins it anew. */
  envelope: string | undefined
}

/** What is known before anything was asked; the rest is as documented. */
interface KnownBefore {
  pageLimit?: number | undefined
  offsetParameter?: OffsetParameter | undefined
}

export const createEndpoint = (
  stream: Stream,
  api: Pick<Endpoint, 'client' | 'governor' | 'concurrency'>,
  known: KnownBefore = {},
): Endpoint => ({
  stream,
  ...api,
  send: createRequestQueue(api.governor),
  readPage: createOwnPageReader(stream, api.client),
  pageLimit: Math.min(stream.pageCap, known.pageLimit ?? stream.pageCap),
  offsetParameter: known.offsetParameter ?? stream.offset,
  calendar: undefined,
  probe: undefined,
  newestEndMs: -Infinity,
  leader: { reading: undefined, windows: 0 },
  envelope: undefined,
})

/** A page with records of another shop is none (INV-13). */
function createOwnPageReader(stream: Stream, client: PartnerClient): PageReader {
  const readPage = pageReaderOf(stream)
  return (answer, inside) => {
    const page = readPage(answer, inside)
    refuseForeignRows(stream, page.owners, client.shop?.())
    return page
  }
}

/**
 * Sends a request when the governor has a slot. Of those that wait, what was begun first goes
 * first.
 */
export type RequestQueue = <Answer>(
  begunMs: number,
  request: () => Promise<Answer>,
) => Promise<Answer>

interface Waiting {
  begunMs: number
  send(): Promise<void>
  refuse(reason: unknown): void
}

/**
 * Of the windows of a list that are read at once, the first goes first, and the others fill the
 * slots that it leaves free: they end one after the other, and the next is read while one is
 * written. At the same pace they would end together, and nothing would be asked for meanwhile. It
 * takes no turn from another list: the governor gives slots in the order in which it was asked.
 */
export function createRequestQueue(governor: Pick<Governor, 'run'>): RequestQueue {
  const waiting: Waiting[] = []

  const sendNext = async (): Promise<void> => {
    let next: Waiting | undefined
    try {
      await governor.run(() => {
        next = waiting.shift()!
        return next.send()
      })
    } catch (error) {
      // There was no slot: one of those that wait goes without, and the last has the most time.
      if (next === undefined) waiting.pop()!.refuse(error)
    }
  }

  return <Answer>(begunMs: number, request: () => Promise<Answer>) => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const send = async (): Promise<void> => {
      try {
        resolve(await request())
      } catch (error) {
        reject(error)
        throw error
      }
    }
    const after = waiting.findLastIndex(other => other.begunMs <= begunMs)
    waiting.splice(after + 1, 0, { begunMs, send, refuse: reject })
    void sendNext()
    return promise
  }
}
