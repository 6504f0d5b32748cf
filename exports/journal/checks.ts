/**
 * A line of exceptions.csv. An `error` holds the journal back or leaves something out of it; a
 * `warning` is worth a look.
 */
export interface JournalException {
  severity: 'error' | 'warning' | 'override'
  code:
    | 'TIE_OUT'
    | 'UNMAPPED'
    | 'UNBALANCED'
    | 'COST_MISSING'
    | 'CANNABIS_UNKNOWN'
    | 'LOTS_SHORT'
    | 'PAYMENT_DELETED'
    | 'TYPE_UNKNOWN'
    | 'STATUS_UNKNOWN'
    | 'ROWS_DIFFER'
    | 'CLOSING_DIFFERS'
    | 'SUSPENSE'
  /** Empty where it is about the day. */
  transactionId: string
  detail: string
}

/** Worth a look, and in the way of nothing. */
export const WARNING_CODES: ReadonlySet<JournalException['code']> = new Set([
  'CANNABIS_UNKNOWN',
  'LOTS_SHORT',
  'PAYMENT_DELETED',
  'TYPE_UNKNOWN',
  'STATUS_UNKNOWN',
])

/**
 * A word of the API in a detail: one like those of a list; a text of another kind may say anything
 * (INV-10).
 */
export const quoted = (word: string): string =>
  /^[\w .-]{1,40}$/.test(word) ? `"${word}"` : `(${word.length} characters, no word)`

/** Why somebody accepted a difference, out of the detail of an override. */
export const reasonOf = ({ detail }: Pick<JournalException, 'detail'>): string | undefined =>
  /(?:; accepted|^\S+ on .*?): ([^]*)$/.exec(detail)?.[1]

/** A line of tieout.csv; amounts, or counts. */
export interface TieOutRow {
  check: string
  expected: string
  actual: string
  delta: string
  /**
   * `incomplete`: the journal leaves out what is not known. `suspense`: somebody had it booked
   * there. `accepted`: somebody let the journal go out although the closing report says otherwise;
   * there is nothing to book, since each sale ties out.
   */
  status: 'ok' | 'failed' | 'suspense' | 'accepted' | 'incomplete'
}
