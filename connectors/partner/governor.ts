import pLimit from 'p-limit'
import { PartnerError } from '../../errors.ts'
import { AtOnce, LONGEST_PAUSE_MS, LONGEST_TRIAL_MS } from './pace.ts'
import type { PaceAllowance } from './pace.ts'
import { askedToWait } from './refusal.ts'

/** A slot, or how long to wait before the next is asked for. */
export interface Slot {
  /** 0: it is taken. */
  waitMs: number
  /** What was refused after this was not known yet when the slot was given. */
  decidedMs: number
}

/** When requests of a key may be sent: what a governor goes by. Times are the process's own. */
export interface KeyPace {
  /** Takes the next slot, if it has come. */
  take(nowMs: number): Slot | Promise<Slot>
  answered(sent: SentRequest): void
  /** Answers whether it is more than one that is alone, or chance. */
  refused(sent: SentRequest, nowMs: number, retryAfterMs?: number): boolean
  readonly allowance: PaceAllowance
  /** The part of a ceiling of requests at once that is left to this process, at least one. */
  shareOf(concurrency: number): number
}

export interface SentRequest extends Pick<Slot, 'decidedMs'> {
  sentMs: number
}

/** A clock that is set back by an hour would hold the next request for as long. */
export const clock = (): number => performance.now()

/** Waits for the next slot. */
export async function nextSlot(pace: KeyPace): Promise<void> {
  for (;;) {
    const { waitMs } = await pace.take(clock())
    if (waitMs <= 0) return
    await later(waitMs)
  }
}

/** Ceilings from the configuration; the governor stays below them. */
export interface Limits {
  concurrency: number
  requestsPerSecond: number
  /** What an earlier run found that the API lets through; where one begins. */
  knownPerSecond?: number | undefined
  /** Checked by the client, on the wire as well as inflated. Default 64. */
  megabytesPerAnswer?: number
  /** Checked by the client; a second more for each 50 kB that have come. Default 60. */
  secondsPerAnswer?: number
}

/** Of those, what a pace keeps to. */
export type PaceLimits = Pick<Limits, 'requestsPerSecond' | 'knownPerSecond'>

/**
 * How many requests at once, and how fast, for one developer key. Every window of every stream
 * shares it.
 */
export interface Governor {
  run<T>(request: () => Promise<T>): Promise<T>
  /** What it allows now, for progress and logs. */
  readonly allowance: { concurrency: number; requestsPerSecond: number; pausedMs: number }
  /** The pace that the API let through, where it refused a faster one; for the next run. */
  readonly foundPerSecond: number | undefined
}

/**
 * Holds requests back until the pace (`Pace`) has a slot for them, and lets as many go at once as
 * went well (`AtOnce`). With a pace that processes share the ceilings hold for all that send with
 * the key together.
 */
export function createGovernor(limits: Limits, pace: KeyPace): Governor {
  const atOnce = new AtOnce(limits.concurrency)
  const limit = pLimit(atOnce.now)
  let trial: Promise<unknown> | undefined

  /** Answers as of when the slot was given. */
  const waitForSlot = async (): Promise<number> => {
    for (;;) {
      await trial
      const nowMs = clock()
      refuseLongPause(pace.allowance.pausedUntilMs - nowMs)
      const { waitMs, decidedMs } = await pace.take(nowMs)
      if (waitMs <= 0) return decidedMs
      await later(waitMs)
    }
  }

  const answered = (sent: SentRequest): void => {
    pace.answered(sent)
    atOnce.answered(pace.shareOf(limits.concurrency))
    limit.concurrency = atOnce.now
  }

  const refused = (sent: SentRequest, retryAfterMs: number | undefined): void => {
    if (!pace.refused(sent, clock(), retryAfterMs)) return
    atOnce.refused()
    limit.concurrency = atOnce.now
  }

  const send = async <T>(request: () => Promise<T>, decidedMs: number): Promise<T> => {
    atOnce.keepTo(pace.shareOf(limits.concurrency))
    limit.concurrency = atOnce.now
    const sent = { sentMs: clock(), decidedMs }
    try {
      const answer = await request()
      answered(sent)
      return answer
    } catch (error) {
      if (isRefusal(error)) refused(sent, error.retryAfterMs)
      throw error
    }
  }

  const ask = async <T>(request: () => Promise<T>): Promise<T> => {
    const answer = send(request, await waitForSlot())
    if (pace.allowance.isClosed)
      trial = Promise.race([answer.catch(() => {}), later(LONGEST_TRIAL_MS)])
    return answer
  }

  return {
    run: request => limit(() => ask(request)),
    get foundPerSecond() {
      return pace.allowance.foundPerSecond
    },
    get allowance() {
      return {
        concurrency: atOnce.now,
        requestsPerSecond: pace.allowance.perSecond,
        pausedMs: Math.max(0, pace.allowance.pausedUntilMs - clock()),
      }
    },
  }
}

const later = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))

function refuseLongPause(pauseMs: number): void {
  if (pauseMs <= LONGEST_PAUSE_MS) return
  throw new PartnerError(
    'PARTNER_RATE_LIMIT',
    'the API asked for a pause that is still running',
    askedToWait(pauseMs),
  )
}

const isRefusal = (error: unknown): error is PartnerError =>
  error instanceof PartnerError &&
  (error.code === 'PARTNER_RATE_LIMIT' ||
    error.refused?.status === 503 ||
    error.retryAfterMs !== undefined)
