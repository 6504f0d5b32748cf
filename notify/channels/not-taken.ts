/** A receiver did not take what was sent; the message holds nothing of an address or an answer. */
export class NotTaken extends Error {
  override name = 'NotTaken'
}

/** What went wrong on the way, by the word that the system has for it. */
export function explainFailure(error: unknown): NotTaken {
  if (error instanceof NotTaken) return error
  const { name, code, cause } = error as { name?: string; code?: unknown; cause?: unknown }
  if (name === 'TimeoutError') return new NotTaken('no answer within 10 seconds')
  if (name === 'AbortError') return new NotTaken('it was interrupted')
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,40}$/.test(code))
    return new NotTaken(`it cannot be reached (${code})`)
  return cause === undefined ? new NotTaken('it cannot be reached') : explainFailure(cause)
}
