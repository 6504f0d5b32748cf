export interface LoggedRequest {
  method: string
  path: string
  query: string
  /** 0: the connection was cut before an answer was complete. */
  status: number
  /** When it came, epoch milliseconds. */
  at: number
  ms: number
}

const KEPT = 10_000

/**
 * What was asked since the last reset: the last ten thousand requests, and how many there were for
 * each path.
 */
export class RequestLog {
  private kept: LoggedRequest[] = []
  private oldest = 0
  private counts = new Map<string, number>()
  private total = 0

  add(request: LoggedRequest): void {
    if (this.kept.length < KEPT) this.kept.push(request)
    else {
      this.kept[this.oldest] = request
      this.oldest = (this.oldest + 1) % KEPT
    }
    this.total++
    this.counts.set(request.path, (this.counts.get(request.path) ?? 0) + 1)
  }

  read(): { total: number; counts: Record<string, number>; requests: LoggedRequest[] } {
    return {
      total: this.total,
      counts: Object.fromEntries(this.counts),
      requests: [...this.kept.slice(this.oldest), ...this.kept.slice(0, this.oldest)],
    }
  }

  clear(): void {
    this.kept = []
    this.oldest = 0
    this.counts = new Map()
    this.total = 0
  }
}
