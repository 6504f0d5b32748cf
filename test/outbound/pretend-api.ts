import type { LookUpOutcome, Outcome } from '../../outbound/outcome.ts'

/** What befalls one sending of an operation. */
export type Fate =
  | 'taken'
  /** Committed; the answer never arrives. */
  | 'reply lost'
  /** Committed a while after the answer was lost. */
  | 'late'
  /** The request itself is lost. */
  | 'lost'
  | 'refused'
  /** In a way that may hide that it was taken. */
  | 'refused in doubt'
  /** What is answered is the refusal of the same request, sent once more by a gateway. */
  | 'refused but taken'
  | 'busy'
  /** A gateway says that it is busy, and the API has it all the same. */
  | 'busy but taken'

/** What befalls one search of the history. */
export type Sight = 'whole' | 'empty' | 'broken'

interface Posted {
  token: string
  atMs: number
}

/** Thrown where the process dies: nothing of ours catches it. */
export class Killed extends Error {}

/**
 * An API on a clock that only moves when somebody waits: what it has, and what becomes of requests.
 */
export class PretendApi {
  nowMs = Date.parse('2026-03-09T08:00:00Z')
  readonly lateMs: number
  /** Everything it will ever have taken, with the time from which it shows. */
  readonly taken: Posted[] = []
  /** A gateway that lies, and a history that lies about the same, nobody can see through. */
  private gatewayLied = false
  private readonly fates: Fate[]
  private readonly sights: Sight[]

  constructor(fates: readonly Fate[], sights: readonly Sight[], lateMs: number) {
    this.fates = [...fates]
    this.sights = [...sights]
    this.lateMs = lateMs
  }

  send(token: string): Outcome {
    const fate = this.fates.shift() ?? 'taken'
    const isLie = fate === 'busy but taken' || fate === 'refused but taken'
    if (fate === 'taken' || fate === 'reply lost' || isLie) this.take(token, 0)
    this.gatewayLied ||= isLie
    if (fate === 'late') this.take(token, this.lateMs)
    switch (fate) {
      case 'taken':
        return { kind: 'confirmed', facts: { token } }
      case 'refused':
        return { kind: 'rejected', why: 'PARTNER_REFUSED: 400' }
      case 'refused in doubt':
      case 'refused but taken':
        return { kind: 'rejected', why: 'PARTNER_REFUSED: 422', isDoubtful: true }
      case 'busy':
      case 'busy but taken':
        return { kind: 'not taken', why: 'PARTNER_RATE_LIMIT: 429', retryAfterMs: 1000 }
      case 'late':
      case 'lost':
      case 'reply lost':
        return { kind: 'unknown', why: 'PARTNER_UNREACHABLE: no answer' }
    }
  }

  search(token: string): LookUpOutcome {
    const sight = this.sights.shift() ?? 'whole'
    if (sight === 'broken') return { kind: 'unclear', why: 'PARTNER_UNAVAILABLE: 503' }
    const isThere = this.taken.some(posted => posted.token === token && posted.atMs <= this.nowMs)
    return isThere && (sight === 'whole' || this.gatewayLied)
      ? { kind: 'found', facts: { token } }
      : { kind: 'absent' }
  }

  private take(token: string, afterMs: number): void {
    this.taken.push({ token, atMs: this.nowMs + afterMs })
  }
}
