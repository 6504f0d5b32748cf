/** The bundle. Workflow names live in histories: never rename one. */
export { backfillNights } from './backfill-nights.ts'
export { check } from './check.ts'
export { nightly } from './nightly.ts'
export { pushCatalog } from './push-catalog.ts'
export { reconcilePlan } from './reconcile-plan.ts'
export { sweep } from './sweep.ts'
export { syncStore } from './sync-store.ts'
export { syncStream } from './sync-stream.ts'
