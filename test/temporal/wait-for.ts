import { setTimeout as delay } from 'node:timers/promises'

/**
 * Looks again and again until the condition holds; past the deadline it fails and says what it
 * waited for.
 */
export async function waitFor(
  condition: () => boolean | Promise<boolean>,
  what: string,
  timeoutMs = 120_000,
): Promise<void> {
  const deadline = Date.now() + timeoutMs
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs / 1000} s in vain until ${what}`)
    await delay(20)
  }
}
