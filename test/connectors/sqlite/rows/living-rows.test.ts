import { expect, it } from 'vitest'
import { parentValues } from '../../../../connectors/sql/rows/living-rows.ts'
import { kyselyOn } from '../../../../connectors/sqlite/connection/query-builder.ts'
import { DIALECT } from '../../../../connectors/sqlite/rows/rows.ts'
import { boolean, text, timestamp } from '../../../../connectors/stream.ts'
import { salesStream } from '../sales-stream.ts'
import { openDatabase } from '../window-database.ts'

const columns = { ...text('id', 'name'), ...timestamp('modified') }

it.each([
  ['the API says so itself', { ...columns, ...boolean('deleted') }, ['alive', 'unsaid']],
  ['it has such a field that says nothing to us', columns, ['alive', 'dead', 'unsaid']],
])('what is deleted has no list of its own to be asked for: %s', async (_, declared, values) => {
  const sales = salesStream(declared)
  const { load, connection } = await openDatabase([sales])
  const record = (id: string, deleted?: boolean): string =>
    JSON.stringify({ id, modified: 1, deleted })
  load(sales, [[record('alive', false), record('dead', true), record('unsaid')]])
  load(sales, [[record('gone')]])
  connection.exec(`UPDATE rows_sales SET gone_at = 1 WHERE id = 'gone'`)
  const parent = { stream: 'sales', column: 'id' }
  expect(
    await parentValues({ db: kyselyOn(connection), dialect: DIALECT }, 'downtown', parent),
  ).toEqual(values)
  await expect(
    parentValues({ db: kyselyOn(connection), dialect: DIALECT }, 'uptown', parent),
  ).rejects.toMatchObject({
    code: 'NOT_PROVEN',
  })
})
