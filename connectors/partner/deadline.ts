/** Of each second: an answer that comes more slowly than this is at its end some time. */
const BYTES_PER_SECOND = 50_000

/** Bounds the time of one answer as a whole, however steadily its bytes come. */
export interface Deadline {
  /** Aborted when the answer is too slow. */
  signal: AbortSignal
  /** More time for an answer that goes on: a second for each 50 kB. */
  received(bytes: number): void
  stop(): void
}

export function startDeadline(ms: number): Deadline {
  const controller = new AbortController()
  let endMs = performance.now() + ms
  const look = (): void => {
    const leftMs = endMs - performance.now()
    if (leftMs > 0) timer = setTimeout(look, leftMs)
    else controller.abort()
  }
  let timer = setTimeout(look, ms)
  return {
    signal: controller.signal,
    received: bytes => void (endMs += (bytes / BYTES_PER_SECOND) * 1000),
    stop: () => clearTimeout(timer),
  }
}
