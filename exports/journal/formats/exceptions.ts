import type { JournalException, TieOutRow } from '../findings.ts'
import { csvText, number } from './table.ts'

export function writeExceptions(exceptions: readonly JournalException[]): string {
  return csvText(['severity', 'code', 'transaction_id', 'detail'], exceptions.map(({ severity, code, transactionId, detail }) => [severity, code, transactionId, detail]))
}

export function writeTieOuts(tieOuts: readonly TieOutRow[]): string {
  return csvText(['check', 'expected', 'actual', 'delta', 'status'], tieOuts.map(({ check, expected, actual, delta, status }) => [check, number(expected), number(actual), number(delta), status]))
}
