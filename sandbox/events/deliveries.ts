import { setTimeout as wait } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { Event } from './event.ts'

/** One attempt, as `GET /_control/deliveries` shows it. */
export interface Attempt extends Event {
  store: string
  webHookId: string
  url: string
  attempt: number
  at: string
  ms: number
  /** What the receiver answered; 200 is an acknowledgement (Events, rule 4). */
  status?: number
  /** Why there was no answer. */
  error?: string
}

/** One event on its way to one address. */
export interface Parcel {
  store: string
  webHookId: string
  url: string
  event: Event
  /** How long it is held back, so that others overtake it. */
  delayMs: number
}

/**
 * Readings: five tries, a receiver has five seconds ("within a few seconds"). Nothing is known
 * about either.
 */
const PAUSES_MS = [250, 500, 1000, 2000]
const ANSWER_MS = 5000
const AT_ONCE = 8
const MOST_WAITING = 10_000
const MOST_LOGGED = 10_000

/**
 * Posts events to whoever registered for them, at least once. Nobody waits for it: each address has
 * its own queue, so a slow receiver delays only itself, and closing drops whatever is under way.
 */
export class Deliveries {
  private readonly closing = new AbortController()
  private readonly underWay = new Set<Promise<boolean>>()
  private readonly queues = new Map<string, ReturnType<typeof pLimit>>()
  private readonly attempts: Attempt[] = []

  /**
   * Resolves, never rejects, with true once the event was acknowledged or given up, with false if
   * the sandbox closed before. What does not fit behind an address that never answers is given up.
   */
  async send(parcel: Parcel): Promise<boolean> {
    const { url } = parcel
    let queue = this.queues.get(url)
    if (queue === undefined) this.queues.set(url, (queue = pLimit(AT_ONCE)))
    if (queue.pendingCount >= MOST_WAITING) {
      this.log(parcel, 0, performance.now(), { error: 'given up: too many wait for this address' })
      return true
    }
    const delivery = queue(() => this.deliver(parcel)).then(
      () => true,
      () => false,
    )
    this.underWay.add(delivery)
    void delivery.then(() => this.underWay.delete(delivery))
    return delivery
  }

  read(store: string | undefined): readonly Attempt[] {
    return store === undefined
      ? this.attempts
      : this.attempts.filter(attempt => attempt.store === store)
  }

  /** Nothing is posted after this. */
  async close(): Promise<void> {
    this.closing.abort()
    await Promise.all(this.underWay)
  }

  /** Rejects when the sandbox closes. */
  private async deliver(parcel: Parcel): Promise<void> {
    const { signal } = this.closing
    await wait(parcel.delayMs, undefined, { signal })
    for (let attempt = 1; attempt <= PAUSES_MS.length + 1; attempt++) {
      const startedMs = performance.now()
      const outcome = await this.post(parcel)
      signal.throwIfAborted()
      this.log(parcel, attempt, startedMs, outcome)
      if (outcome.status === 200) return
      const pauseMs = PAUSES_MS[attempt - 1]
      if (pauseMs !== undefined) await wait(pauseMs, undefined, { signal })
    }
  }

  private async post({ url, event }: Parcel): Promise<{ status?: number; error?: string }> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(event),
        redirect: 'manual',
        signal: AbortSignal.any([this.closing.signal, AbortSignal.timeout(ANSWER_MS)]),
      })
      await response.body?.cancel()
      return { status: response.status }
    } catch (error) {
      const { name, message, cause } = error as Error
      if (name === 'TimeoutError') return { error: `no answer within ${ANSWER_MS} ms` }
      return { error: cause instanceof Error ? cause.message : message }
    }
  }

  private log(
    { store, webHookId, url, event }: Parcel,
    attempt: number,
    startedMs: number,
    outcome: { status?: number; error?: string },
  ): void {
    this.attempts.push({
      store,
      webHookId,
      url,
      ...event,
      attempt,
      at: new Date().toISOString(),
      ms: Math.round(performance.now() - startedMs),
      ...outcome,
    })
    if (this.attempts.length > MOST_LOGGED) this.attempts.shift()
  }
}
