import { expect, it } from 'vitest'
import { withSql } from '../../../connectors/postgres/connection/sql-connection.ts'
import { postgres } from '../../../connectors/postgres/kind.ts'
import { holdOpen, withExclusiveDatabase } from '../../../connectors/postgres/upkeep/exclusive.ts'
import { postgresForTests } from '../../helpers/postgres.ts'
import { waitFor } from '../../helpers/project.ts'

const alone = (url: string): Promise<string> => withExclusiveDatabase(url, async () => 'alone')

it('several may have a database open at once, and none of them beside who has it alone', async () => {
  const { url } = await postgresForTests()
  await postgres.migrate(url, [])
  const [one, other] = [await holdOpen(url), await holdOpen(url)]
  await one.release()
  await expect(alone(url)).rejects.toMatchObject({ code: 'DATABASE_BUSY' })
  await other.release()
  const opened: string[] = []
  const [begun, work] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const changing = withExclusiveDatabase(url, async () => {
    begun.resolve()
    await work.promise
    opened.push('changed')
  })
  await begun.promise
  const waiting = holdOpen(url).then(held => {
    opened.push('opened')
    return held.release()
  })
  await expect(alone(url)).rejects.toMatchObject({ code: 'DATABASE_BUSY' })
  work.resolve()
  await Promise.all([changing, waiting])
  expect(opened).toEqual(['changed', 'opened'])
})

it('a server that was away is told again that the database is open', async () => {
  const { url } = await postgresForTests()
  await postgres.migrate(url, [])
  const held = await holdOpen(url)
  const ended = await withSql(url, sql =>
    sql.all(
      `SELECT pg_terminate_backend(pid) FROM pg_locks
       WHERE locktype = 'advisory' AND mode = 'ShareLock' AND granted AND pid <> pg_backend_pid()
         AND (classid::bigint << 32 | objid::bigint)
           = hashtextextended('tillage open ' || current_schema(), 0)`,
    ),
  )
  expect(ended).toHaveLength(1)
  const isTold = (): Promise<boolean> =>
    alone(url).then(
      () => false,
      ({ code }: { code?: string }) => code === 'DATABASE_BUSY',
    )
  await waitFor(isTold, 'the server to hear that it is open')
  await held.release()
  expect(await alone(url)).toBe('alone')
})
