/**
 * Of the destination in use (`database.ts`) what the thread of an export needs. It lives for one
 * export: to load the rest, the query builder above all, takes longer than a small export does.
 */
export { openGivenOut } from './sqlite/tables/given-out.ts'
export { openSnapshot } from './sqlite/snapshot/snapshot.ts'
