import type { Rows } from '../../destination/rows.ts'
import { quoteText as literal } from '../../quote.ts'
import { compareRows, repairRows } from '../../sql/rows/compare-rows.ts'
import type { RowDialect, RowsPlace } from '../../sql/rows/living-rows.ts'
import { readRows } from '../../sql/rows/rows.ts'
import { runSteps } from '../../sql/steps.ts'
import type { Connections } from '../connection/connections.ts'
import { inTurn } from '../connection/in-turn.ts'
import { statementsOn } from '../connection/sql-connection.ts'
import { inTransaction } from '../connection/transaction.ts'
import { storedView } from '../schema/stream-views.ts'
import { recordStaging } from '../window/staged-records.ts'

export const DIALECT: RowDialect = {
  least: 'least',
  viewOf: storedView,
  fieldOf: (raw, path) => `field_of(${raw}, ${literal(`{${path.replaceAll('.', ',')}}`)})`,
  findTable: name => `SELECT 1 WHERE to_regclass(${literal(name)}) IS NOT NULL`,
  lastBatch:
    'SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS batch FROM readings_batch_seq',
}

/** What the tables of the streams hold. */
export const createRows = (place: RowsPlace, connections: Connections): Rows => ({
  ...readRows(place),
  compare: (...asked) =>
    inTransaction(connections, client =>
      runSteps(statementsOn(client), compareRows(recordStaging(client), ...asked)),
    ),
  repair: (...asked) =>
    inTurn(connections, client =>
      runSteps(statementsOn(client), repairRows(recordStaging(client), ...asked)),
    ),
})
