import type { Amount } from '../money/amount.ts'
import type { AuditFolder } from './folder.ts'
import type { Lot, Snapshot, SnapshotLine } from './snapshot.ts'

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

/**
 * Stock that is no lot of the till: without a package tag, or with one that the till does not know.
 * A finding, and never posted: there is no lot to post it to.
 */
export interface Find {
  inventoryId: string
  /** Empty: it has none. */
  tag: string
  sku: string
  /** As the till has it, else as it was written down. */
  product: string
  counted: Amount
  countedBy: string
  countedAt: string
  reasonCode: string
  note: string
}

export interface Counts {
  counts: Count[]
  finds: Find[]
  /** Lines of the sheet that nobody counted. */
  uncounted: SnapshotLine[]
}

/** The recount, if there was one. */
export const finalCount = ({ counted, recounted }: Count): Amount => recounted ?? counted

/** A sheet with what was counted of it, and the files that say so. */
export interface CountedSheet {
  folder: AuditFolder
  snapshot: Snapshot
  counts: Counts
  files: readonly string[]
}
