import { setTimeout as delay } from 'node:timers/promises'
import { fraction, mix } from '../values/random.ts'

/** A rule for `POST /_control/faults`. It fires for requests that match, then does what it says. */
export interface FaultRule {
  /** Regular expression on path and query; without it every request matches. */
  match?: string
  /** `GET`, `PUT`, ...; without it any. */
  method?: string
  /** Answer with this status and an error body. */
  status?: number
  /** Seconds, sent as `Retry-After` with `status`. */
  retryAfter?: number
  /** The answer waits so long, or until the rules are cleared. */
  latencyMs?: number
  /** Destroy the connection in the middle of the body. */
  drop?: boolean
  /**
   * Cut the connection at once, and carry the request out so long afterwards all the same, or when
   * the rules are cleared.
   */
  commitAfterMs?: number
  /**
   * Cut the body in half, framed correctly: it arrives whole, under its status, and is not JSON.
   */
  truncate?: boolean
  /** Answer with an HTML page, under `status` or 200. */
  html?: boolean
  /** Never answer. */
  hang?: boolean
  /**
   * Share of the matching requests that are hit, 0 to 1; which ones follows from seed and request
   * number.
   */
  rate?: number
  /** Fire at most this often. */
  times?: number
  /** Let this many matching requests pass first. */
  after?: number
  /** Answer 429 to what comes faster than this, for each developer key. */
  rateLimit?: { perSecond: number; retryAfter?: number }
}

interface Armed {
  rule: FaultRule
  pattern: RegExp | undefined
  seen: number
  fired: number
  windows: Map<string, { second: number; count: number }>
}

/** What shall happen to one request. */
export interface Verdict {
  latencyMs: number
  status?: number
  retryAfter?: number
  drop?: boolean
  commitAfterMs?: number
  truncate?: boolean
  html?: boolean
  hang?: boolean
}

const KNOWN = Object.keys({
  match: true,
  method: true,
  status: true,
  retryAfter: true,
  latencyMs: true,
  drop: true,
  commitAfterMs: true,
  truncate: true,
  html: true,
  hang: true,
  rate: true,
  times: true,
  after: true,
  rateLimit: true,
} satisfies Record<keyof FaultRule, true>)

/**
 * The rules in force. All that fire add up their latency; the first that ends the request decides
 * how.
 */
export class Faults {
  private readonly seed: number
  private armed: Armed[] = []
  private cleared = new AbortController()

  constructor(seed: number) {
    this.seed = seed
  }

  add(rules: readonly FaultRule[]): number {
    const armed = rules.map((rule): Armed => {
      const unknown = Object.keys(rule).filter(name => !KNOWN.includes(name))
      if (unknown.length > 0)
        throw new RangeError(
          `unknown in a fault rule: ${unknown.join(', ')}; known are ${KNOWN.join(', ')}`,
        )
      return {
        rule,
        pattern: rule.match === undefined ? undefined : new RegExp(rule.match),
        seen: 0,
        fired: 0,
        windows: new Map(),
      }
    })
    this.armed.push(...armed)
    return this.armed.length
  }

  clear(): void {
    this.armed = []
    this.cleared.abort()
    this.cleared = new AbortController()
  }

  async wait(latencyMs: number): Promise<void> {
    await delay(latencyMs, undefined, { signal: this.cleared.signal }).catch(() => {})
  }

  list(): { rule: FaultRule; seen: number; fired: number }[] {
    return this.armed.map(({ rule, seen, fired }) => ({ rule, seen, fired }))
  }

  judge(
    { method, url }: { method: string; url: string },
    requestNumber: number,
    key: string,
    nowMs: number,
  ): Verdict | undefined {
    let verdict: Verdict | undefined
    for (const [at, armed] of this.armed.entries()) {
      if (armed.rule.method !== undefined && armed.rule.method !== method) continue
      if (armed.pattern !== undefined && !armed.pattern.test(url)) continue
      armed.seen++
      const chance = fraction(mix(this.seed ^ (0xfa + at), requestNumber))
      if (!fires(armed, chance, key, nowMs)) continue
      armed.fired++
      const { rule } = armed
      const ended = verdict !== undefined && ends(verdict)
      verdict = { latencyMs: 0, ...verdict, ...(ended ? {} : ending(rule)) }
      verdict.latencyMs += rule.latencyMs ?? 0
    }
    return verdict
  }
}

/** Whether a rule hits a request that matches it; `chance` is the request's own, from 0 to 1. */
function fires(armed: Armed, chance: number, key: string, nowMs: number): boolean {
  const { after = 0, times = Infinity, rate = 1, rateLimit } = armed.rule
  if (armed.seen <= after || armed.fired >= times || chance >= rate) return false
  return rateLimit === undefined || overLimit(armed, rateLimit.perSecond, key, nowMs)
}

const ends = (verdict: Verdict): boolean =>
  verdict.status !== undefined ||
  verdict.commitAfterMs !== undefined ||
  [verdict.drop, verdict.truncate, verdict.html, verdict.hang].includes(true)

const CUTS = ['drop', 'truncate', 'html', 'hang'] as const

function ending(rule: FaultRule): Omit<Verdict, 'latencyMs'> {
  const { commitAfterMs } = rule
  const status = rule.rateLimit === undefined ? rule.status : 429
  const retryAfter = rule.rateLimit?.retryAfter ?? rule.retryAfter
  const cuts = CUTS.filter(name => rule[name] === true).map(name => [name, true])
  return {
    ...(status === undefined ? {} : { status }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(commitAfterMs === undefined ? {} : { commitAfterMs }),
    ...(Object.fromEntries(cuts) as Partial<Verdict>),
  }
}

/** Counted in whole seconds of the clock, as simple gateways do. */
function overLimit(armed: Armed, perSecond: number, key: string, nowMs: number): boolean {
  const second = Math.floor(nowMs / 1000)
  const window = armed.windows.get(key)
  if (window === undefined || window.second !== second) {
    armed.windows.set(key, { second, count: 1 })
    return false
  }
  window.count++
  return window.count > perSecond
}
