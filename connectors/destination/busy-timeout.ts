/** Other commands may be writing a large window; they get this long before we give up. */
export const BUSY_TIMEOUT_MS = 120_000
