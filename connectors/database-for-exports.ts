/**
 * Of the destination in use (`database.ts`) what the thread of an export needs. It lives for one
 * export: to load the rest, the query builder above all, takes longer than a small export does.
 */
import type { GivenOut } from './destination/given-out.ts'
import type { BooksToFill, QuestionTables, Selection, Snapshot } from './destination/snapshot.ts'
import * as sqlite from './sqlite/for-exports.ts'

export const openGivenOut = async (
  database: string,
  options?: { readonly?: boolean },
): Promise<GivenOut> => sqlite.openGivenOut(database, options)

export const openSnapshot = async (
  database: string,
  selection: Selection,
  books?: BooksToFill,
): Promise<Snapshot> => sqlite.openSnapshot(database, selection, books)

export const openQuestionTables = async (database: string): Promise<QuestionTables> =>
  sqlite.openQuestionTables(database)
