import { batchQuantities } from '../connectors/partner/streams/batch-quantities.ts'
import { batches } from '../connectors/partner/streams/batches.ts'
import { categories } from '../connectors/partner/streams/categories.ts'
import { inventories } from '../connectors/partner/streams/inventories.ts'
import { reconciliations } from '../connectors/partner/streams/reconciliations.ts'
import type { Stream } from '../connectors/stream.ts'

/** Lists that audits read whole, and a sync in windows or not at all. */
export const allBatches: Stream = {
  ...batches,
  path: '/api/v1/partner/store/batches',
  windowing: 'full-refresh',
}

/** Rooms out of use too: stock may lie in them. */
export const allRooms: Stream = {
  ...inventories,
  path: '/api/v1/partner/store/inventory/inventories',
}

export const storeCategories: Stream = {
  ...categories,
  path: '/api/v1/partner/store/inventory/categories',
}

/**
 * Neither pages nor a total of it are shown in the documentation, so that an API may answer it
 * whole each time: a page with fewer rows than were asked for is believed where it comes again.
 */
export const roomQuantities: Stream = { ...batchQuantities, answers: 'complete' }

/**
 * An entry of the history that is null is no reconciliation: it must not keep all others from being
 * found.
 */
export const reconciliationHistory: Stream = { ...reconciliations, mayHoldNulls: true }
