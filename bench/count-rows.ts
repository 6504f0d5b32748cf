import Database from 'better-sqlite3'
import type { Contender } from './contenders.ts'
import type { Held } from './server.ts'

/** Rows of the three tables that a contender lacks, or holds more often than the API does. */
export interface Losses {
  lost: number
  twice: number
  /** Whether the newest version of each transaction is the one that is held. */
  sameVersions: boolean
}

/** Compares what a contender holds with what the API held. */
export function countRows(contender: Contender, folder: string, held: Held): Losses {
  const database = new Database(contender.database(folder), { readonly: true })
  const count = (sql: string): number => database.prepare(sql).pluck().get() as number
  const { transactions, lines, payments } = contender.tables
  const found: Held = {
    transactions: count(`SELECT count(*) FROM ${transactions}`),
    lines: count(`SELECT count(*) FROM ${lines}`),
    payments: count(`SELECT count(*) FROM ${payments}`),
    modifiedSum: count(`SELECT sum(modified % 1000000000) FROM ${transactions}`),
  }
  const distinct = count(`SELECT count(DISTINCT id) FROM ${transactions}`)
  database.close()
  const missing = [
    held.transactions - distinct,
    held.lines - found.lines,
    held.payments - found.payments,
  ]
  const sumOf = (numbers: readonly number[]): number =>
    numbers.reduce((sum, one) => sum + Math.max(0, one), 0)
  return {
    lost: sumOf(missing),
    twice: sumOf([found.transactions - distinct, -missing[1]!, -missing[2]!]),
    sameVersions: found.modifiedSum === held.modifiedSum,
  }
}
