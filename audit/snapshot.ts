/** What a store's records said when an audit began: everything that the audit is held against. */
export interface Snapshot {
  audit: string
  /** Printed on each line of the count sheets. */
  sheet: string
  store: string
  storeName: string | undefined
  /** Of the shop, as the API says it; undefined: it does not. */
  storeLicense?: string | undefined
  timeZone: string
  /** ISO, UTC. Quantities are as of the second reading, which ended then. */
  startedAt: string
  endedAt: string
  requests: number
  /** Lots whose quantity was another one at the second reading. */
  moved: { inventory_id: string; batch_id: string; from: string; to: string }[]
  permission: { performReconciliation: boolean }
  /** Rooms in the order in which the API lists them. */
  rooms: Room[]
  /** Whether only some rooms were asked for. */
  isPartial: boolean
  /** Whether the sheets say nothing of how much there should be. */
  isBlind: boolean
  lines: SnapshotLine[]
  /** Lots that are nowhere: a count may find them all the same. */
  otherLots: Lot[]
}

/** Of one that the snapshot does not know, its id. */
export const roomName = ({ rooms }: Pick<Snapshot, 'rooms'>, id: string): string =>
  rooms.find(room => room.id === id)?.name ?? id

export interface Room {
  id: string
  name: string
  type: string
}

export type Unit = 'GRAM' | 'EACH'

/** What is known of a lot (a batch of a product). What the API does not say is empty. */
export interface Lot {
  productId: string
  sku: string
  product: string
  category: string
  cannabis: boolean
  batchId: string
  batchSku: string
  packageTag: string
  lotId: string
  batchStatus: string
  unit: Unit
  unitCost: string | null
  retailPrice: string | null
  expiresAt: string | null
  receivedAt: string | null
  vendorName: string
  vendorLicense: string
  /** For the inventory documentation: what was paid, as far as the lot says it. */
  cost: string | null
  exciseTax: string | null
  receivedQty: string | null
}

/** A lot in a room that was not empty. */
export interface SnapshotLine extends Lot {
  lineId: string
  inventoryId: string
  room: string
  expected: string
  /** What open orders hold of the product in this room; null where the API does not say. */
  committed: string | null
}
