import type Database from 'better-sqlite3'

/**
 * Whether the CHECKs of the tables are asked on this connection. They look at every decimal and
 * time of every row, which is a third of the cost of a line, and the reader has looked at most
 * records already. Types, keys and NOT NULL always hold.
 */
export interface TableChecks {
  on(): void
  off(): void
}

export function createTableChecks(database: Database.Database): TableChecks {
  let areOn = true
  // Each change makes SQLite compile its statements anew, half a millisecond for those of a page.
  const turn = (on: boolean): void => {
    if (areOn === on) return
    database.pragma(`ignore_check_constraints = ${on ? 'OFF' : 'ON'}`)
    areOn = on
  }
  return { on: () => turn(true), off: () => turn(false) }
}
