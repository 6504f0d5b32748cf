/** The bundle. Workflow names live in histories: never rename one. */
export { syncStore } from './sync-store.ts'
export { syncStream } from './sync-stream.ts'
