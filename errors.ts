import { ERROR_CODES } from './error-codes.ts'
import type { ErrorCode, Recovery } from './error-codes.ts'
import { withoutSecrets } from './secrets.ts'

/** Every error of ours, grouped by what the caller should do. */

export { ERROR_CODES } from './error-codes.ts'
export type { ErrorCode, Recovery } from './error-codes.ts'

/**
 * What happened, and what to do next. `retryAfterMs` is the API's own word for a 429 or 503, if it
 * gave one.
 */
export interface ErrorDetails {
  remedy?: string
  retryAfterMs?: number
  cause?: unknown
}

/**
 * The one base class: a code, a sentence that says what happened and what was received, and the
 * remedy.
 */
export class TillageError extends Error {
  readonly code: ErrorCode
  readonly remedy: string | undefined
  readonly retryAfterMs: number | undefined

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(withoutSecrets(message), { cause: details.cause })
    this.name = new.target.name
    this.code = code
    this.remedy = details.remedy === undefined ? undefined : withoutSecrets(details.remedy)
    this.retryAfterMs = details.retryAfterMs
  }

  get recovery(): Recovery {
    return ERROR_CODES[this.code].recovery
  }

  get exitStatus(): 1 | 2 | 3 {
    return ERROR_CODES[this.code].exit
  }
}

/** The command line is wrong: exit status 2, nothing was started. */
export class UsageError extends TillageError {
  constructor(message: string, remedy?: string) {
    super('USAGE', message, remedy === undefined ? {} : { remedy })
  }
}

/** The configuration is wrong: every problem at once, exit status 2, nothing was started. */
export class ConfigError extends TillageError {
  readonly problems: readonly string[]

  constructor(source: string, problems: readonly string[], remedy: string) {
    super(
      'CONFIG',
      `${source} has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n` +
        problems.map(problem => `  - ${problem}`).join('\n'),
      { remedy },
    )
    this.problems = problems
  }
}

/** The Partner Commerce API answered with a failure, with nonsense, or not at all. */
export class PartnerError extends TillageError {
  /** Of a refusal: its HTTP status, and the shape of its body in the names of its fields. */
  readonly refused: { status: number; shape: string } | undefined
  /** There was no connection, so the request certainly never left (INV-7). */
  readonly wasNeverSent: boolean
  /**
   * What the API said when it refused a write, for the story of a plan, or the key itself. Not in
   * `message`, which goes into histories and logs.
   */
  readonly said: string | undefined

  constructor(
    code: ErrorCode,
    message: string,
    details: ErrorDetails & {
      refused?: { status: number; shape: string }
      wasNeverSent?: boolean
      said?: string | undefined
    } = {},
  ) {
    super(code, message, details)
    this.refused = details.refused
    this.wasNeverSent = details.wasNeverSent === true
    this.said = details.said === undefined ? undefined : withoutSecrets(details.said)
  }
}

/** A plan must not be sent as it stands: no operation of it goes out. */
export class PlanError extends TillageError {}

/** The destination cannot be opened or written. */
export class DatabaseError extends TillageError {}

/** There is no Temporal server to work with. */
export class TemporalError extends TillageError {}

/** An error of ours on its way from another thread, which classes do not survive. */
export interface SentError {
  code: ErrorCode
  message: string
  remedy: string | undefined
}

export const sentError = ({ code, message, remedy }: TillageError): SentError => ({
  code,
  message,
  remedy,
})

/** The error again, in the class of what such threads do: they read and write databases. */
export function reviveError({ code, message, remedy }: SentError): TillageError {
  if (code === 'USAGE') return new UsageError(message, remedy)
  const details = remedy === undefined ? {} : { remedy }
  return code === 'INTERRUPTED'
    ? new TillageError(code, message, details)
    : new DatabaseError(code, message, details)
}
