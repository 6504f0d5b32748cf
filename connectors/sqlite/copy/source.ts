import type { CopySource } from '../../copy/ends.ts'
import { markMoved } from '../../copy/marks.ts'
import { quoteName as quote } from '../../quote.ts'
import { openAlone } from '../connection/exclusive.ts'
import { movedPlace } from '../connection/open-connection.ts'
import { statementsOn } from '../connection/sql-connection.ts'
import { readerOf } from './reader.ts'

/**
 * The file, alone: fails with DATABASE_BUSY where another process has it open. What was marked is
 * committed when that resolves.
 */
export function openCopySource(path: string): CopySource {
  const connection = openAlone(path)
  return {
    ...readerOf(connection, path),
    movedTo: movedPlace(connection),
    lacksNul: false,
    rawOf: async (table, rid) =>
      connection
        .prepare<[string], string>(`SELECT raw FROM ${quote(table)} WHERE rid = CAST(? AS INTEGER)`)
        .pluck()
        .get(rid),
    async markMoved(place) {
      await markMoved(statementsOn(connection), place)
      connection.exec('COMMIT')
    },
    async close() {
      if (connection.inTransaction) connection.exec('ROLLBACK')
      connection.close()
    },
  }
}
