import { readCsv } from '../../../text/read-csv.ts'
import { csvText, number } from '../../../text/write-csv.ts'
import type { JournalException, TieOutRow } from '../checks.ts'

/** The datasets of what is checked and found. */
export const EXCEPTIONS = 'exceptions'
export const TIE_OUT = 'tieout'

export function writeExceptions(exceptions: readonly JournalException[]): string {
  return csvText(
    ['severity', 'code', 'transaction_id', 'detail'],
    exceptions.map(({ severity, code, transactionId, detail }) => [
      severity,
      code,
      transactionId,
      detail,
    ]),
  )
}

export function writeTieOuts(tieOuts: readonly TieOutRow[]): string {
  return csvText(
    ['check', 'expected', 'actual', 'delta', 'status'],
    tieOuts.map(({ check, expected, actual, delta, status }) => [
      check,
      number(expected),
      number(actual),
      number(delta),
      status,
    ]),
  )
}

/** What `writeExceptions` wrote. */
export function readExceptions(text: string, path?: string): JournalException[] {
  return readCsv(text, path).map(
    row =>
      ({
        severity: row['severity'],
        code: row['code'],
        transactionId: row['transaction_id'] ?? '',
        detail: row['detail'] ?? '',
      }) as JournalException,
  )
}
