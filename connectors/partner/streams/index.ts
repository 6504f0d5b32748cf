import type { Stream } from '../../stream.ts'
import { batches } from './batches.ts'
import { members } from './members.ts'
import { products } from './products.ts'
import { purchaseOrders } from './purchase-orders.ts'
import { transactions } from './transactions.ts'
import { vendors } from './vendors.ts'

/** Every stream, in the order in which people read them. */
export const streams: readonly Stream[] = [transactions, batches, members, purchaseOrders, products, vendors]

export function findStream(name: string): Stream | undefined {
  return streams.find((stream) => stream.name === name)
}
