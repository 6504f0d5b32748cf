import { all, run } from '../../sql/steps.ts'
import type { Steps } from '../../sql/steps.ts'
import type { Visit } from '../../sql/upkeep/upkeep-dialect.ts'

const ROWS_AT_ONCE = 1_000

/** Inside a transaction: rows as they were when it was asked, whatever becomes of them. */
export function* inParts<Row extends object>(
  sql: string,
  parameters: object,
  visit: Visit<Row>,
): Steps<void> {
  yield* run(`DECLARE parts NO SCROLL CURSOR FOR ${sql}`, parameters)
  for (;;) {
    const rows = yield* all<Row>(`FETCH ${ROWS_AT_ONCE} FROM parts`)
    if (rows.length > 0) yield* visit(rows) ?? []
    if (rows.length < ROWS_AT_ONCE) break
  }
  yield* run('CLOSE parts')
}
