import type { FindingCode } from '../findings.ts'

/** Something that the API did and the documentation does not say, kept with its evidence. */
export interface Finding {
  /** `store/stream/code`, and what it is about where one stream can have several of a code. */
  id: string
  store: string
  stream: string
  /**
   * A `FindingCode`, or an `ErrorCode` where a window could not be read; older ones may be others.
   */
  code: string
  detail: string
  /** How many readings have made it. */
  times: number
  /** ISO texts in UTC. */
  firstSeenAt: string
  lastSeenAt: string
}

/** One observation; `readAt` is when it was made. */
export interface NotedFinding extends Pick<Finding, 'id' | 'store' | 'stream' | 'detail'> {
  code: FindingCode
  readAt: string
}

/**
 * Findings of windows are written by `WindowWriter.commit`; this is for all others, and to read.
 */
export interface Findings {
  /**
   * Keeps a finding: the first time, and each time again with its newest detail. Called twice for
   * the same observation it counts twice, which does no harm.
   */
  note(finding: NotedFinding): Promise<void>

  /** Of a store, of one stream where it is given; ordered by stream and code. */
  of(store: string, stream?: string): Promise<Finding[]>

  /** Those with one of these ids, ordered by code. */
  byId(ids: readonly string[]): Promise<Finding[]>
}
