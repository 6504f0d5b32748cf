import type { PaceAllowance } from './pace.ts'

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

/** Ceiling, and what an earlier run found. */
export interface PaceLimits {
  requestsPerSecond: number
  knownPerSecond?: number | undefined
}

/** A clock that is set back by an hour would hold the next request for as long. */
export const clock = (): number => performance.now()

/** Waits for the next slot. */
export async function nextSlot(pace: KeyPace): Promise<void> {
  for (;;) {
    const { waitMs } = await pace.take(clock())
    if (waitMs <= 0) return
    await new Promise(resolve => setTimeout(resolve, waitMs))
  }
}
