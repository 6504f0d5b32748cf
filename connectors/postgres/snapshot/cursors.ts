import type { QueryResult } from 'pg'
import type { StoredCell } from '../../destination/snapshot.ts'
import type { InOrder } from '../connection/sql-connection.ts'
import { numbered } from '../connection/sql-connection.ts'

/** Answers the rows of a question as arrays, some at a time. */
export type Cursors = (sql: string, parameters: object) => AsyncIterable<StoredCell[][]>

const ROWS_AT_ONCE = 1024

/** A table need not fit the memory. Inside a transaction. */
export function createCursors(inOrder: InOrder): Cursors {
  let opened = 0
  return async function* (sql, parameters) {
    const name = `rows_${++opened}`
    const { text, values } = numbered(sql, parameters)
    await inOrder(client => client.query(`DECLARE ${name} NO SCROLL CURSOR FOR ${text}`, values))
    const fetch = (): Promise<QueryResult<StoredCell[]>> =>
      inOrder(client =>
        client.query({ text: `FETCH ${ROWS_AT_ONCE} FROM ${name}`, rowMode: 'array' }),
      )
    let next = fetch()
    for (;;) {
      const { rows } = await next
      const isLast = rows.length < ROWS_AT_ONCE
      // The server finds the next ones while these are worked on.
      if (!isLast) {
        next = fetch()
        // Said to whoever asks for them.
        next.catch(() => {})
      }
      if (rows.length > 0) yield rows
      if (isLast) break
    }
    await inOrder(client => client.query(`CLOSE ${name}`))
  }
}
