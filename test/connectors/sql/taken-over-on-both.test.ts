import { describe, expect, test } from 'vitest'
import { text, timestamp } from '../../../connectors/stream.ts'
import { salesStream } from '../sqlite/sales-stream.ts'
import { WINDOW } from '../sqlite/window-database.ts'
import { WINDOW_KINDS } from './window-databases.ts'

const sales = salesStream({ ...text('id'), ...timestamp('modified') })
const sale = (id: string, modified: number): string[] => [JSON.stringify({ id, modified })]
const OTHER = { start: WINDOW.window.end, end: '2030-01-01T00:00:00.000Z' }

describe.each(Object.entries(WINDOW_KINDS))('on %s,', (_, openDatabase) => {
  test('an attempt that was taken over commits nothing, neither rows nor a ledger row', async () => {
    const database = await openDatabase([sales])
    await database.load(sales, [sale('s1', 1)], { evidence: { by: 'the first' } })
    const tables = async (): Promise<unknown> => ({
      rows: await database.all('SELECT id, modified FROM sales ORDER BY id'),
      windows: await database.all('SELECT evidence FROM windows'),
    })
    // Two began after reading 1; one of them slept while the other one committed.
    await database.load(sales, [sale('s1', 2)], { since: 1, evidence: { by: 'whoever took over' } })
    const before = await tables()
    expect(JSON.stringify(before)).toContain('whoever took over')
    for (const status of ['proven', 'unproven'] as const)
      await expect(
        database.load(sales, [sale('slept', 1)], { since: 1, status }),
      ).rejects.toMatchObject({ code: 'WINDOW_TAKEN_OVER' })
    expect(await tables()).toEqual(before)
  })

  test('an attempt that began later, one at another window, and single records are committed', async () => {
    const database = await openDatabase([sales])
    await database.load(sales, [sale('s1', 1)])
    await database.load(sales, [sale('s1', 2)], { since: 1 })
    await database.load(sales, [sale('s2', 2)], { since: 2 })
    await database.load(sales, [sale('s3', 2)], { since: 1, window: OTHER })
    await database.load(sales, [sale('s4', 2)], { since: 1, byId: true })
    await database.load(sales, [sale('s5', 2)], { since: 4 })
    expect(await database.all('SELECT id FROM sales ORDER BY id')).toHaveLength(5)
  })
})
