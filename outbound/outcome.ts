import type { Facts } from '../connectors/destination/outbound.ts'
import { PartnerError } from '../errors.ts'

/** What came of sending an operation once. */
export type Outcome =
  /** The API has it. `note`: how it came there, where this sending did not bring it. */
  | { kind: 'confirmed'; facts: Facts; note?: string }
  /**
   * The API said no, and why; or it took something else, which the facts tell. It is final,
   * unless it is doubtful: what said no may not be the API, or see it for the second time.
   */
  | { kind: 'rejected'; why: string; facts?: Facts; isDoubtful?: true }
  /** Reading it right before the sending showed that it must not be sent; nothing was. */
  | { kind: 'stale'; why: string }
  /** The same showed that the API is as planned already; nothing was sent. */
  | { kind: 'unchanged' }
  /**
   * It was certainly not taken: too many requests, or no connection. `isOver`: nor is what is sent
   * next, so it is left for later.
   */
  | { kind: 'not taken'; why: string; retryAfterMs?: number | undefined; isOver?: true }
  /**
   * Anything else: nobody knows (INV-7). `patienceMs`: for so long it is searched for, where that
   * is not what the rules say.
   */
  | { kind: 'unknown'; why: string; patienceMs?: number }

/** Its write-ahead record belongs to another run by now, so nothing was sent (INV-7). */
export const TAKEN_OVER = {
  kind: 'not taken',
  why: 'another run has taken the operation over',
} as const satisfies Outcome

/** What is found before it was sent for the first time. */
export const SENT_BY_ANOTHER =
  'it was there before we sent it: another copy of this database has sent it'

/**
 * It could not be read, or not wholly. `retryAfterMs`: the API asked to be left alone for so long.
 */
export interface Unclear {
  kind: 'unclear'
  why: string
  retryAfterMs?: number | undefined
}

/** What a search in the API said of an operation. */
export type LookUpOutcome =
  | { kind: 'found'; facts: Facts }
  /**
   * Not there, by a list that is proven or a record's own word. `wasNeverSent`: it cannot come
   * later either, because what goes out is written down first, and that was not. `why`: what there
   * is instead.
   */
  | { kind: 'absent'; wasNeverSent?: boolean; why?: string }
  /**
   * It was taken, and the API shows something else than was sent, which the facts tell. That is
   * final, unless the rest of it may still come.
   */
  | { kind: 'otherwise'; why: string; facts: Facts; mayStillCome: boolean }
  | Unclear

/** Of the refusals, these do not say that the request was looked at and refused. */
const MAY_HAVE_BEEN_TAKEN: ReadonlySet<number> = new Set([408, 409, 425])

/**
 * Of the others, only these are said before anything was done: the request itself is wrong, the key
 * lacks a permission, there is no such place.
 */
const CERTAIN: ReadonlySet<number> = new Set([400, 403, 404, 405, 410])

/**
 * What an error of the client says about a write. A refusal is only believed where the API itself
 * refuses (4xx); a success that does not show the record is unknown like any lost answer.
 */
export function outcomeOf(
  error: unknown,
): Exclude<Outcome, { kind: 'confirmed' | 'stale' | 'unchanged' }> {
  if (!(error instanceof PartnerError)) throw error
  const why = describeRefusal(error)
  if (error.code === 'PARTNER_RATE_LIMIT')
    return { kind: 'not taken', why, retryAfterMs: error.retryAfterMs }
  // The key was refused, which says nothing about the request.
  if (error.code === 'PARTNER_KEYS') return { kind: 'not taken', why, isOver: true }
  if (error.wasNeverSent) return { kind: 'not taken', why }
  return refusedWith(error.refused?.status ?? 0, why)
}

/** With what the API said: who has to answer for the plan needs to know. */
const describeRefusal = ({ code, message, said }: PartnerError): string =>
  `${code}: ${message}${said === undefined ? '' : `; the API says: ${said}`}`

function refusedWith(status: number, why: string): ReturnType<typeof outcomeOf> {
  if (status < 400 || status >= 500 || MAY_HAVE_BEEN_TAKEN.has(status))
    return { kind: 'unknown', why }
  return CERTAIN.has(status)
    ? { kind: 'rejected', why }
    : { kind: 'rejected', why, isDoubtful: true }
}
