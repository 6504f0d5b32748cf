/**
 * Of the destination in use (`database.ts`) what the thread of an export needs. It lives for one
 * export: to load the rest, the query builder above all, takes longer than a small export does.
 */
export { openGivenOut } from './sqlite/tables/given-out.ts'
export { keepShownBooks } from './sqlite/tables/shown-books.ts'
export { openComputedFile } from './sqlite/tables/computed-books.ts'
export type { ComputedBook } from './sqlite/tables/computed-books.ts'
export type { RowValues } from './sqlite/pages/table-pages.ts'
