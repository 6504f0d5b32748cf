import type { Lot, SnapshotLine } from '../audit/snapshot.ts'
import type { Amount } from '../exports/books/amount.ts'

/** What somebody counted of a lot in a room. */
export interface Count {
  /** Of the sheet; undefined for stock that was found where none should be. */
  lineId: string | undefined
  inventoryId: string
  lot: Lot
  counted: Amount
  recounted: Amount | undefined
  countedBy: string
  countedAt: string
  recountedBy: string
  scannedTag: string
  reasonCode: string
  note: string
}

/** Stock without a tag, of a product that is known: an exception, and never posted. */
export interface UntaggedFind {
  inventoryId: string
  sku: string
  product: string
  counted: Amount
  countedBy: string
  countedAt: string
  reasonCode: string
  note: string
}

export interface Counts {
  counts: Count[]
  untagged: UntaggedFind[]
  /** Lines of the sheet that nobody counted. */
  uncounted: SnapshotLine[]
}

/** The recount, if there was one. */
export const finalCount = ({ counted, recounted }: Count): Amount => recounted ?? counted
