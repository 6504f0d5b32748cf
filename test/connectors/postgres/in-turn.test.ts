import { expect, it, vi } from 'vitest'
import { openConnections } from '../../../connectors/postgres/connection/connections.ts'
import { IN_TURN } from '../../../connectors/postgres/connection/in-turn.ts'
import { inTransaction } from '../../../connectors/postgres/connection/transaction.ts'
import { postgres } from '../../../connectors/postgres/kind.ts'
import { withExclusiveDatabase } from '../../../connectors/postgres/upkeep/exclusive.ts'
import { text, timestamp } from '../../../connectors/stream.ts'
import { postgresForTests } from '../../helpers/postgres.ts'
import { salesStream } from '../sqlite/sales-stream.ts'

const SHOW = 'SHOW idle_in_transaction_session_timeout'

/** A machine that falls asleep answers the server's system, so nothing else ends its turn. */
it('whoever falls silent in its turn loses it after 20 seconds, and not where somebody works by hand', async () => {
  const { url } = await postgresForTests()
  const connections = openConnections(url, { most: 2 })
  const shown = await inTransaction(connections, async client => {
    const before = await client.query(SHOW)
    await client.query(IN_TURN)
    const after = await client.query(SHOW)
    return [before, after].map(({ rows }) => Object.values(rows[0] as object)[0] as string)
  })
  expect(shown).toEqual(['0', '20s'])
  const byHand = await withExclusiveDatabase(url, async client => {
    const { rows } = await client.query(SHOW)
    return Object.values(rows[0] as object)[0] as string
  })
  expect(byHand).toBe('0')
  await connections.end()
})

it('the next one goes on when a turn is over by silence', async () => {
  const { url } = await postgresForTests()
  const connections = openConnections(url, { most: 2 })
  let hasNextGoneOn = false
  const silent = inTransaction(connections, async client => {
    await client.query(IN_TURN)
    await client.query(`SET LOCAL idle_in_transaction_session_timeout = '200ms'`)
    await inTransaction(connections, other => other.query(IN_TURN))
    hasNextGoneOn = true
  })
  await expect(silent).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE' })
  expect(hasNextGoneOn).toBe(true)
  await connections.end()
})

it('an upgrade says that it waits for the turn of another program, and then goes on', async () => {
  const { url } = await postgresForTests()
  await postgres.migrate(url, [])
  const connections = openConnections(url, { most: 1 })
  const sales = salesStream({ ...text('id'), ...timestamp('modified') }, {})
  const heard = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  let upgrade = Promise.resolve()
  await inTransaction(connections, async client => {
    await client.query(IN_TURN)
    upgrade = postgres.migrate(url, [sales])
    await vi.waitFor(() => expect(heard.mock.calls.flat().join('')).toContain('waiting'))
  })
  await upgrade
  await postgres.migrate(url, [sales])
  expect(heard.mock.calls).toHaveLength(1)
  heard.mockRestore()
  await postgres.refuseOlder(url, [sales])
  await connections.end()
})
