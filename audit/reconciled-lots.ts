import { toIso } from '../calendar/days.ts'
import { amountText, toAmount } from '../money/amount.ts'
import type { Amount } from '../money/amount.ts'
import { fieldsOf, listOf, textOf, timeOf } from '../text/record-fields.ts'
import type { Fields } from '../text/record-fields.ts'
import { lotKey } from './quantities.ts'

/** A lot in a room whose quantity a reconciliation has set. */
export interface ReconciledLot {
  /** The reconciliation. */
  record: Fields
  key: string
  /** Undefined: the record bears no time. */
  atMs: number | undefined
  /** As far as the history says it. */
  before: Amount | undefined
  after: Amount | undefined
}

/** What each reconciliation of the history has set, lot by lot. Pure. */
export const reconciledLots = (history: readonly Fields[]): ReconciledLot[] =>
  history.flatMap(record => {
    const atMs = timeOf(record['created']) ?? timeOf(record['modified'])
    return listOf(record['reconciliations'])
      .map(fieldsOf)
      .flatMap(line => {
        const room = textOf(line['inventoryId']) ?? textOf(record['inventoryId'])
        const batch = textOf(line['batchId'])
        if (room === undefined || batch === undefined) return []
        const [before, after] = [toAmount(line['oldQuantity']), toAmount(line['newQuantity'])]
        return [{ record, key: lotKey(room, batch), atMs, before, after }]
      })
  })

/** `reconciliation 17 of 2026-03-08T10:00:00.000Z`. */
export function nameReconciliation({ record, atMs }: ReconciledLot): string {
  const number = textOf(record['requestNo']) ?? textOf(record['id']) ?? 'without id'
  return `reconciliation ${number}${atMs === undefined ? '' : ` of ${toIso(atMs)}`}`
}

/** ` from 6 to 5`, as far as it is known. */
export function describeChange({ before, after }: ReconciledLot): string {
  const from = before === undefined ? '' : ` from ${amountText(before, 0)}`
  return after === undefined ? '' : `${from} to ${amountText(after, 0)}`
}
