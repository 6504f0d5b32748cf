import type { BookTable } from './columns.ts'
import { booked, columnsFor } from './columns.ts'
import type { Sale, SaleItem, SalePayment, SaleTax } from './sale.ts'

interface Paid {
  sale: Sale
  payment: SalePayment
}

const paid = columnsFor<Paid>(() => false)

/** How each booked transaction was settled. */
export const paymentTable: BookTable<Paid> = {
  key: ['payment_no'],
  rowsOf: booked(sale => sale.payments.map(payment => ({ sale, payment }))),
  columns: [
    paid.text('store_id', (_, { store }) => store),
    paid.text('transaction_id', ({ sale }) => sale.id),
    paid.integer('payment_no', ({ payment }) => payment.paymentNo),
    paid.date('business_date', (_, { businessDate }) => businessDate),
    paid.text('tender', ({ payment }) => payment.tender),
    paid.text('payment_option', ({ payment }) => payment.tenderName),
    paid.text('direction', ({ payment }) => payment.direction),
    paid.money('amount_applied', ({ payment }) => payment.applied),
    paid.money('tendered', ({ payment }) => payment.tendered),
    paid.money('change_or_cash_back', ({ payment }) => payment.change + payment.cashBack),
    paid.money('tip', ({ payment }) => payment.tip),
    paid.money('fee', ({ payment }) => payment.fee),
    // The API has no reference of a processor so far; the column is kept for it.
    paid.text('processor_ref_masked', () => null),
    paid.time('paid_at', ({ payment }) => payment.paidMs),
    paid.text('storage_location', ({ payment }) => payment.storageLocation),
    paid.flag('derived', ({ payment }) => payment.derived),
  ],
}

interface Taxed {
  sale: Sale
  tax: SaleTax
  item: SaleItem | undefined
}

const taxed = columnsFor<Taxed>(() => false)

/**
 * The taxes of booked transactions by authority and stage; of one level each, so that nothing
 * counts twice.
 */
export const taxTable: BookTable<Taxed> = {
  key: ['line_no', 'authority', 'stage'],
  rowsOf: booked(sale =>
    sale.taxes.map(tax => ({
      sale,
      tax,
      item: tax.lineNo === undefined ? undefined : sale.items[tax.lineNo - 1],
    })),
  ),
  columns: [
    taxed.text('store_id', (_, { store }) => store),
    taxed.text('transaction_id', ({ sale }) => sale.id),
    taxed.integer('line_no', ({ tax }) => tax.lineNo ?? null),
    taxed.text('order_item_id', ({ item }) => item?.orderItemId),
    taxed.date('business_date', (_, { businessDate }) => businessDate),
    taxed.text('authority', ({ tax }) => tax.authority),
    taxed.text('stage', ({ tax }) => tax.stage),
    taxed.money('amount', ({ tax }) => tax.amount),
    taxed.text('consumer_type', ({ sale }) => sale.consumerType),
    taxed.flag('cannabis', ({ item }) => item?.cannabis),
    taxed.text('level', ({ tax }) => tax.level),
  ],
}
