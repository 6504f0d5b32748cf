import type { Interval } from '../../calendar/interval.ts'
import type { LedgerRow } from './coverage.ts'
import type { Lateness } from './lookback.ts'

/** A window that was read and not proven. */
export interface FailedReading extends Interval {
  stream: string
  /** ISO, UTC. */
  readAt: string
}

/**
 * The ledger of windows, read. It is written by `WindowWriter.commit` alone, with the rows that it
 * is about; what it says of a range is decided in `coverage.ts`.
 */
export interface Ledger {
  /**
   * What stands of one stream of one store, in no particular order; a partition in time. Rows that
   * end or were read after now are not among them: they were written by a clock that was ahead, and
   * what they say had not happened yet.
   */
  windows(store: string, stream: string): Promise<LedgerRow[]>

  /**
   * Between which instants anything of a stream was proven, ISO texts in UTC; null: nothing was.
   */
  provenSpan(store: string, stream: string): Promise<{ from: string | null; to: string | null }>

  /** How late records of a stream were seen to arrive, by day; `lookback.ts` decides by it. */
  lateness(store: string, stream: string): Promise<Lateness[]>

  /** When anything of a store was read first, as far as it is kept; undefined: never. */
  firstReadAt(store: string): Promise<string | undefined>

  /**
   * The newest readings of a store that proved nothing, whatever is proven of their windows from
   * before or since; the newest first.
   */
  failedReadings(store: string): Promise<FailedReading[]>

  /** When any window of a stream was read last, ISO in UTC; undefined: never. */
  lastReadAt(store: string, stream: string): Promise<string | undefined>
}
