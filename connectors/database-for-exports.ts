/**
 * Of the destinations (`database.ts`) what the thread of an export needs. It lives for one export:
 * to load the rest, the query builder above all, takes longer than a small export does.
 */
import { closing } from '../closing.ts'
import type { Closing } from '../closing.ts'
import type { GivenOut } from './destination/given-out.ts'
import type { BooksToFill, QuestionTables, Selection, Snapshot } from './destination/snapshot.ts'
import { isServerAddress } from './server-address.ts'

export { brokenCell } from './sql/stored-table.ts'

/** What a kind has for exports; the first parameter says which database. */
interface ExportsKind {
  openGivenOut(database: string, options?: { readonly?: boolean }): GivenOut | Promise<GivenOut>
  openSnapshot(
    database: string,
    selection: Selection,
    books?: BooksToFill,
  ): Snapshot | Promise<Snapshot>
  openQuestionTables(database: string): QuestionTables | Promise<QuestionTables>
}

const kindOf = (database: string): Promise<ExportsKind> =>
  isServerAddress(database)
    ? import('./postgres/for-exports.ts')
    : import('./sqlite/for-exports.ts')

export const openGivenOut = async (
  database: string,
  options?: { readonly?: boolean },
): Promise<Closing<GivenOut>> =>
  closing(await (await kindOf(database)).openGivenOut(database, options))

export const openSnapshot = async (
  database: string,
  selection: Selection,
  books?: BooksToFill,
): Promise<Closing<Snapshot>> =>
  closing(await (await kindOf(database)).openSnapshot(database, selection, books))

export const openQuestionTables = async (database: string): Promise<QuestionTables> =>
  (await kindOf(database)).openQuestionTables(database)
