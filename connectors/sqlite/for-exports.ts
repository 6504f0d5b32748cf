/** What the thread of an export loads. */
export { openQuestionTables, openSnapshot } from './snapshot/snapshot.ts'
export { openGivenOut } from './tables/given-out.ts'
