import { isWithin } from './age.ts'

const WITHIN_MS = 10 * 60_000
const MOST = 10
/** More names and addresses than that are not told apart: the oldest are forgotten. */
const MOST_KEPT = 10_000

/**
 * Ten wrong passwords within ten minutes close the name, and the address that they came from, for
 * ten minutes.
 */
export class WrongPasswords {
  /** Of each name and address, those within ten minutes of the latest. */
  private readonly times = new Map<string, number[]>()

  isClosed(keys: readonly string[], nowMs: number): boolean {
    return keys.some(key => {
      const times = this.times.get(key) ?? []
      return times.length >= MOST && isWithin(WITHIN_MS, times.at(-1)!, nowMs)
    })
  }

  note(keys: readonly string[], nowMs: number): void {
    for (const key of keys) {
      const recent = (this.times.get(key) ?? []).filter(ms => isWithin(WITHIN_MS, ms, nowMs))
      this.times.delete(key)
      this.times.set(key, [...recent, nowMs])
    }
    for (const key of this.times.keys()) {
      if (this.times.size <= MOST_KEPT) break
      this.times.delete(key)
    }
  }

  /** Takes the last one back: it was right. */
  forgive(keys: readonly string[]): void {
    for (const key of keys) this.times.get(key)?.pop()
  }
}
