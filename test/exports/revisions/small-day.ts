import { join } from 'node:path'
import { createDatabase, insertRecords, sales, sellers } from '../export-database.ts'
import { freshFolder, orderFor, salesOf } from '../order.ts'

/** A folder with a database of one day of sales, and the order to export it. */
export function day(rows = 20) {
  const folder = freshFolder()
  const database = createDatabase(join(folder, 'tillage.db'))
  insertRecords(database, sales, 'downtown', salesOf(rows))
  insertRecords(database, sellers, 'downtown', [
    { row: { id: 'v1', name: 'Green Farms', modified: 1 } },
  ])
  return { folder, database, order: orderFor(folder) }
}
