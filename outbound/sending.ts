import type { OutboundTables } from '../connectors/destination/outbound.ts'
import type { LookUpOutcome, Outcome } from './outcome.ts'

/** Time and the journal: all that the mechanism needs besides the write itself. */
export interface Outbound {
  store: OutboundTables
  now(): number
  sleep(ms: number): Promise<void>
}

/** One write to the API, and how it can be found there. */
export interface Write {
  /**
   * Sends it, once, as the attempt that was recorded. Throws nothing of the API: what it says is an
   * outcome.
   */
  send(attempt: number): Promise<Outcome>
  /** Looks for it in the API. Counts as a search only where what it says is true by then. */
  search(): Promise<LookUpOutcome>
}

export interface SendRules {
  /** For so long after an unclear outcome the API is searched. */
  patienceMs: number
  /** Between two searches: this long at first, then twice as long, up to `longestPauseMs`. */
  firstPauseMs: number
  longestPauseMs: number
  /**
   * What is done where patience is over and the API, asked for certain, does not have it. Where
   * writing twice is harm that cannot be undone: park.
   */
  whenAbsent: 'park' | 'send again'
  /** Sendings of one operation in one run, refusals for lack of pace included. */
  mostSends: number
}

export const SEND_RULES: SendRules = {
  patienceMs: 120_000,
  firstPauseMs: 500,
  longestPauseMs: 10_000,
  whenAbsent: 'park',
  mostSends: 20,
}

/** One operation's way into the API. */
export interface Sending extends Outbound {
  /** Of the plan; only while it is the plan's live one, anything is sent. */
  run: string
  /** The store that it is sent to, by its id; the run has locked it. */
  writesTo: string
  /**
   * Asked right before each sending: throws a `PlanError` where it is not allowed any more. Answers
   * who allowed it.
   */
  permit(): Promise<string[]>
  write: Write
  rules: SendRules
  /**
   * When the database was restored from a backup, or a standby took it over, if that happened: what
   * stands as it stood then may have been sent.
   */
  restoredMs?: number | undefined
  /** Whether nothing more can be sent in this run; what was not taken waits for the next one. */
  isOver?(): boolean
}
