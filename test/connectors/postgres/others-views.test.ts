import { expect, it } from 'vitest'
import { withSql } from '../../../connectors/postgres/connection/sql-connection.ts'
import { postgres } from '../../../connectors/postgres/kind.ts'
import { text, timestamp } from '../../../connectors/stream.ts'
import { postgresForTests } from '../../helpers/postgres.ts'
import { salesStream } from '../sqlite/sales-stream.ts'

const columns = { ...text('id'), ...timestamp('modified') }
const before = salesStream(columns)
const grown = salesStream({ ...columns, ...text('note') })

it('a view of somebody is named where ours below it is to be made anew, and never dropped', async () => {
  const { url } = await postgresForTests()
  await postgres.migrate(url, [before])
  const run = (statement: string): Promise<number> => withSql(url, sql => sql.run(statement))
  await run('CREATE VIEW mine AS SELECT id FROM sales')
  await expect(postgres.migrate(url, [grown])).rejects.toMatchObject({
    code: 'DATABASE_REFUSED',
    message: expect.stringContaining('view mine depends on view sales'),
    remedy: expect.stringContaining('DROP VIEW'),
  })
  await postgres.refuseOlder(url, [before])
  await run('DROP VIEW mine')
  await postgres.migrate(url, [grown])
  await postgres.refuseOlder(url, [grown])
})
