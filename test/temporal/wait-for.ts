import { setTimeout as delay } from 'node:timers/promises'

/** So many times as long as the condition took, it rests: some open a database. */
const REST = 4
/** What a test does at a certain moment, it does soon after it. */
const LONGEST_REST_MS = 500

/**
 * Asks again and again until the condition holds; a test never sleeps for a time that it hopes is
 * long enough. The limit is that of a machine that has much else to do: it ends what hangs.
 */
export async function waitFor(
  condition: () => boolean | Promise<boolean>,
  what: string,
  timeoutMs = 200_000,
): Promise<void> {
  const deadlineMs = Date.now() + timeoutMs
  for (;;) {
    const startedMs = performance.now()
    if (await condition()) return
    if (Date.now() > deadlineMs) throw new Error(`waited ${timeoutMs} ms for ${what}`)
    const restMs = REST * (performance.now() - startedMs)
    await delay(Math.min(LONGEST_REST_MS, Math.max(20, restMs)))
  }
}
