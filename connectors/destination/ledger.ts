import type { Interval } from '../../calendar/days.ts'
import type { FailedReading, LedgerRow } from './coverage.ts'
import type { Lateness } from './lookback.ts'

/** How a stream of a store stands by its ledger: so much, however many windows were proven. */
export interface LedgerStanding {
  /** From the first proven instant to the last; undefined: nothing is proven. */
  proven: Interval | undefined
  /** Parts of that which are not proven, in the order of time. */
  gaps: Interval[]
  /** When the newest of what is proven was read, ISO in UTC; undefined: nobody wrote it down. */
  newestProofAt: string | undefined
  /** What was read in vain, row by row, in the order of time. */
  unproven: LedgerRow[]
  /** When any window was read last, ISO in UTC; undefined: never. */
  lastReadAt: string | undefined
}

/**
 * The ledger of windows, read. It is written by `WindowWriter.commit` alone, with the rows that it
 * is about; what it says of a range is decided in `coverage.ts`. Rows that end or were read after
 * now stand nowhere: they were written by a clock that was ahead, and what they say had not
 * happened yet.
 */
export interface Ledger {
  /**
   * What stands of one stream of one store, in no particular order; a partition in time. With an
   * interval, only what touches it.
   */
  windows(store: string, stream: string, touching?: Interval): Promise<LedgerRow[]>

  /** How each stream stands of which anything was read; `standingOf` finds one. */
  standings(store: string): Promise<ReadonlyMap<string, LedgerStanding>>

  /**
   * Between which instants anything of a stream was proven, ISO texts in UTC; null: nothing was.
   */
  provenSpan(store: string, stream: string): Promise<{ from: string | null; to: string | null }>

  /** How late records of a stream were seen to arrive, by day; `lookback.ts` decides by it. */
  lateness(store: string, stream: string): Promise<Lateness[]>

  /** When anything of a store was read first, as far as it is kept; undefined: never. */
  firstReadAt(store: string): Promise<string | undefined>

  /**
   * The newest readings of a store that proved nothing, without those whose whole window was proven
   * since; the newest first. `failedAgain` decides what is open of the others. Of one stream,
   * or of all.
   */
  failedReadings(store: string, stream?: string): Promise<FailedReading[]>

  /** When any window of a stream was read last, ISO in UTC; undefined: never. */
  lastReadAt(store: string, stream: string): Promise<string | undefined>
}

const NOTHING_READ: LedgerStanding = {
  proven: undefined,
  gaps: [],
  newestProofAt: undefined,
  unproven: [],
  lastReadAt: undefined,
}

export const standingOf = (
  standings: ReadonlyMap<string, LedgerStanding>,
  stream: string,
): LedgerStanding => standings.get(stream) ?? NOTHING_READ

/** Below this instant everything since the first proven window is proven. */
export const reachedMs = ({ proven, gaps }: LedgerStanding): number | undefined =>
  gaps[0]?.startMs ?? proven?.endMs
