/**
 * Bounds the bytes of pages that are fetched and not yet kept, over all windows of a process:
 * fetching goes on while the writer commits, and waits where it gets too far ahead.
 */
export interface BackPressure {
  /**
   * Resolves when there is room for so many bytes, in the order in which it was asked. A page that
   * is larger than everything is let in alone.
   */
  admit(bytes: number): Promise<void>
  /** To be called once for each `admit`, with the same number. */
  release(bytes: number): void
}

export function createBackPressure(maxBytes: number): BackPressure {
  const waiting: { bytes: number; letIn: () => void }[] = []
  let underWay = 0
  const hasRoom = (bytes: number): boolean => underWay === 0 || underWay + bytes <= maxBytes
  const letIn = (): void => {
    for (let next = waiting[0]; next !== undefined && hasRoom(next.bytes); next = waiting[0]) {
      waiting.shift()
      underWay += next.bytes
      next.letIn()
    }
  }
  return {
    admit: bytes =>
      new Promise(resolve => {
        waiting.push({ bytes, letIn: resolve })
        letIn()
      }),
    release(bytes) {
      underWay -= bytes
      letIn()
    },
  }
}
