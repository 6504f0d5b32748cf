/** What the thread of an export loads. */
export { openQuestionTables } from './snapshot/question-tables.ts'
export { openSnapshot } from './snapshot/snapshot.ts'
export { openGivenOut } from './tables/given-out.ts'
