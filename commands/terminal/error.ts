import { PartnerError, TillageError } from '../../errors.ts'
import { withoutSecrets } from '../../secrets.ts'

/** What happened, what to do next; never a stack trace for errors that we know. */
export function formatError(error: unknown): string {
  if (error instanceof TillageError)
    return `${error.code}: ${error.message}${error.remedy === undefined ? '' : `\n${error.remedy}`}`
  return withoutSecrets(error instanceof Error ? (error.stack ?? error.message) : String(error))
}

/** The same, and what the API said of a refusal, for whoever asks it right here. */
export const formatRefusal = (error: TillageError): string =>
  error instanceof PartnerError && error.said !== undefined
    ? `${formatError(error)}\nThe API said: ${error.said}`
    : formatError(error)

/**
 * The same for programs: the one document that `--json` promises, also when nothing could be done.
 */
export function errorAsJson(error: unknown): {
  code: string
  message: string
  remedy: string | null
} {
  if (error instanceof TillageError)
    return { code: error.code, message: error.message, remedy: error.remedy ?? null }
  return {
    code: 'UNKNOWN',
    message: withoutSecrets(error instanceof Error ? error.message : String(error)),
    remedy: null,
  }
}

export const exitStatusOf = (error: unknown): number =>
  error instanceof TillageError ? error.exitStatus : 1
