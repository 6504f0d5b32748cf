/** What the thread of an export loads. */
export { openSnapshot } from './snapshot/snapshot.ts'
export { openGivenOut } from './tables/given-out.ts'
