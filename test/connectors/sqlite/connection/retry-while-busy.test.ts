import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { streams } from '../../../../connectors/partner/streams/index.ts'
import { openConnection } from '../../../../connectors/sqlite/connection/open-connection.ts'
import { migrate } from '../../../../connectors/sqlite/schema/migrate.ts'
import { openOutboundStore, openPushMemory } from '../../../../connectors/sqlite/tables/outbound.ts'
import { newPath } from '../window-database.ts'

const path = newPath()
let memory: ReturnType<typeof openPushMemory>
let outbound: ReturnType<typeof openOutboundStore>
beforeAll(async () => {
  await migrate(path, streams)
  memory = openPushMemory(path)
  outbound = openOutboundStore(path)
})
afterAll(async () => {
  await outbound.close()
  await memory.close()
})

/** Turns of the event loop while somebody else writes for a while, and `write` waits for that. */
async function turnsDuring(write: () => Promise<unknown> | void): Promise<number> {
  const other = openConnection(path)
  other.exec('BEGIN IMMEDIATE')
  let turns = 0
  let isDone = false
  const written = Promise.resolve(write()).then(() => (isDone = true))
  for (; turns < 10 && !isDone; turns++) await pause(5)
  other.exec('ROLLBACK')
  other.close()
  await written
  return turns
}

it.each([
  ['an asset', () => memory.keepAsset('downtown', 'a'.repeat(64), 'asset')],
  [
    'a file',
    () => memory.keepFile('catalog', { path: '/c.csv', sha256: 'b', plan: null, at: 'now' }),
  ],
  [
    'an event',
    () => outbound.note({ plan: 'p', op: null, at: 'now', event: 'e', by: null, detail: '' }),
  ],
])(
  'heartbeats go on while %s waits for a large commit, and it is written then',
  async (_, write) => {
    expect(await turnsDuring(write)).toBe(10)
  },
)

it('SQLite itself waits with the whole thread, which is what the check sees', async () => {
  const waiting = openConnection(path)
  waiting.pragma('busy_timeout = 100')
  const write = (): void => {
    try {
      waiting.exec('BEGIN IMMEDIATE; ROLLBACK')
    } catch {
      // The other one still writes.
    }
  }
  expect(await turnsDuring(write)).toBeLessThan(10)
  waiting.close()
  expect((await memory.assets('downtown')).size).toBe(1)
  expect(await memory.lastFile('catalog')).toMatchObject({ path: '/c.csv' })
})
