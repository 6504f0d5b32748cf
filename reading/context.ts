import type { Interval } from '../calendar/days.ts'
import type { WireRange } from '../calendar/windows.ts'
import type { Destination } from '../connectors/destination/destination.ts'
import type { Endpoint } from '../connectors/partner/endpoint.ts'
import type { Page } from '../connectors/partner/read-page.ts'
import type { Stream } from '../connectors/stream.ts'
import type { BackPressure } from './back-pressure.ts'
import type { WindowLimits } from './window-limits.ts'

/**
 * Takes a page, and its place within the reading: from 0, in the order in which pages arrived.
 * Resolves when it is kept, and rejects where it could not be.
 * Its bytes may go to whoever keeps it.
 */
export type KeepPage = (page: Page, number: number) => Promise<void>

/** What paging through one list takes. */
export interface ListContext {
  endpoint: Endpoint
  /** The dates that are asked for, and what an honest answer may hold. */
  wire: WireRange
  keepPage: KeepPage
  /**
   * Rows that agree in the fields which stand in for an id are kept each, and do not become one.
   */
  keepsTwins?: boolean
  /** Absent where pages are kept at once, without waiting for anybody. */
  backPressure?: BackPressure
  /** Absent where a list is read for somebody who waits for it. */
  limits?: Partial<WindowLimits>
  /** When this attempt began, by `performance.now()`. */
  startedMs?: number
  signal: AbortSignal
}

/** What every step of reading a window is given; made once for each attempt. */
export interface ReadContext extends ListContext {
  store: string
  stream: Stream
  window: Interval
  timeZone: string
  destination: Destination
  /** Epoch milliseconds. */
  now: () => number
}
