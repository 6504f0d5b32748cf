import { askDatabase } from '../test/helpers/ask-database.ts'
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
export async function countRows(contender: Contender, folder: string, held: Held): Promise<Losses> {
  const { transactions, lines, payments, modified = 'modified' } = contender.tables
  const [counted] = await askDatabase(
    contender.database(folder),
    `SELECT
       (SELECT count(*) FROM ${transactions}), (SELECT count(*) FROM ${lines}),
       (SELECT count(*) FROM ${payments}), (SELECT count(DISTINCT id) FROM ${transactions}),
       (SELECT sum(${modified} % 1000000000) FROM ${transactions})`,
  )
  const [all, foundLines, foundPayments, distinct, modifiedSum] = counted!.map(Number)
  const found = {
    transactions: all!,
    lines: foundLines!,
    payments: foundPayments!,
    modifiedSum: modifiedSum!,
  }
  const missing = [
    held.transactions - distinct!,
    held.lines - found.lines,
    held.payments - found.payments,
  ]
  const sumOf = (numbers: readonly number[]): number =>
    numbers.reduce((sum, one) => sum + Math.max(0, one), 0)
  return {
    lost: sumOf(missing),
    twice: sumOf([found.transactions - distinct!, -missing[1]!, -missing[2]!]),
    sameVersions: found.modifiedSum === held.modifiedSum,
  }
}
