const WITHIN_MS = 10 * 60_000
const MOST = 10
/** More names and addresses than that are not told apart: the oldest are forgotten. */
const MOST_KEPT = 10_000

/**
 * Ten wrong passwords within ten minutes close the name, and the address that they came from, for
 * ten minutes.
 */
export class WrongPasswords {
  private readonly times = new Map<string, number[]>()

  isClosed(keys: readonly string[], nowMs: number): boolean {
    return keys.some(key => this.recent(key, nowMs).length >= MOST)
  }

  note(keys: readonly string[], nowMs: number): void {
    for (const key of keys) {
      const times = [...this.recent(key, nowMs), nowMs]
      this.times.delete(key)
      this.times.set(key, times)
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

  private recent(key: string, nowMs: number): number[] {
    return (this.times.get(key) ?? []).filter(ms => nowMs - ms < WITHIN_MS)
  }
}
