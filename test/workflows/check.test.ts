import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CheckOrder, FindOrder } from '../../activities/orders.ts'
import type { CheckResult } from '../../workflows/check.ts'
import type { SweepResult } from '../../workflows/sweep.ts'
import { control } from '../helpers/project.ts'
import { startRunning } from '../helpers/running.ts'
import type { Running } from '../helpers/running.ts'
import { LONG, sized } from '../helpers/size.ts'
import { rowsToFind } from '../schedules/rules/rows-to-find.ts'

/** At full size, a sample of days that finds one wrong row in a thousand must be a part of them. */
const DAYS = sized(7, 14)
const FROM = LONG ? '2026-03-04' : '2026-03-11'
let running: Running
let number = 0
const execute = (type: string, input: object): Promise<unknown> =>
  running.worker.client.workflow.execute(type, {
    workflowId: `test-${number++}`,
    taskQueue: running.worker.taskQueue,
    args: [input],
  })
const check = async (
  change: Partial<CheckOrder> = {},
  by = 'window',
): Promise<CheckResult['streams'][number]> =>
  (
    (await execute('check', {
      store: 'downtown',
      asked: { streams: ['transactions'], windows: 100, records: 0, heal: true, ...change },
    })) as CheckResult
  ).streams.find(({ drawnBy }) => drawnBy === by)!
const damage = (...statements: string[]): void => {
  const database = new Database(running.config.database)
  for (const statement of statements) database.exec(statement)
  database.close()
}
const rows = (): unknown[] => {
  const database = new Database(running.config.database, { readonly: true })
  try {
    return [
      database.prepare('SELECT * FROM transactions ORDER BY id').all(),
      database.prepare('SELECT * FROM transaction_items ORDER BY 1, 2, 3').all(),
    ]
  } finally {
    database.close()
  }
}

beforeAll(async () => {
  running = await startRunning({ days: DAYS, transactionsPerDay: LONG ? 1000 : 30 })
  await execute('syncStore', {
    store: 'downtown',
    streams: ['transactions', 'products', 'vendors'],
    from: FROM,
    to: '2026-03-16',
  })
})
afterAll(() => running.close())

describe('a check of proven windows', () => {
  test('finds nothing wrong where nothing is, and says how sure that is', async () => {
    const sound = await check()
    expect(sound).toMatchObject({ mismatched: 0, changed: 0 })
    expect(sound.compared).toBe((rows()[0] as unknown[]).length)
    // Every day was drawn, so nothing is left to chance.
    expect(sound).toMatchObject({ rateBound: 0, boundOf: 'rows' })
    const three = await check({ windows: 3 })
    expect(three).toMatchObject({ mismatched: 0, boundOf: 'windows' })
    expect(three.rateBound).toBeCloseTo(1 - 0.05 ** (1 / 3), 9)
  })

  test("a person's own stands for none that is scheduled, before or after it", async () => {
    const scheduled = (): unknown[] => {
      const database = new Database(running.config.database, { readonly: true })
      try {
        return database.prepare(`SELECT * FROM runs WHERE kind = 'check'`).all()
      } finally {
        database.close()
      }
    }
    await check({ windows: 1 })
    expect(scheduled()).toEqual([])
    await execute('check', { store: 'downtown' })
    const kept = scheduled()
    expect(kept).toMatchObject([{ store_id: 'downtown', outcome: 'done', attempts: 1 }])
    await check({ windows: 1 })
    expect(scheduled()).toEqual(kept)
  })

  test('finds one damaged row in a thousand, corrects it, and keeps the wrong state as a version', async () => {
    const before = rows()
    damage(
      `UPDATE rows_transactions SET cart_total = '1.23' WHERE rid % 1000 = 7`,
      `UPDATE rows_transactions SET raw = json_set(raw, '$.cart.total', 1.23) WHERE rid % 1000 = 8`,
      `UPDATE rows_transactions
       SET raw = json_set(raw, '$.modified', 9999999999999), modified = 9999999999999
       WHERE rid % 1000 = 9`,
      `UPDATE rows_transactions SET raw = substr(raw, 1, 40) WHERE rid % 1000 = 11`,
      `DELETE FROM rows_transaction_items WHERE rid % 1000 = 12 AND line_no = 1`,
      `DELETE FROM rows_transactions WHERE rid % 1000 = 13`,
      `UPDATE rows_transactions SET gone_at = 9999999999999 WHERE rid % 1000 = 14`,
    )
    const wrong = (await check({ heal: false })).mismatched
    expect(wrong).toBeGreaterThanOrEqual(7)
    expect(rows()).not.toEqual(before)
    expect(await check()).toMatchObject({ mismatched: wrong, healed: wrong })
    expect(rows()).toEqual(before)
    expect((await check()).mismatched).toBe(0)
  })

  test('a sample of days holds enough rows to find one wrong in a thousand with the asked probability', async () => {
    const all = await check()
    // More rows are damaged where the data is small, so that a part of it is as sure.
    const [rate, every] = LONG ? [0.001, 1000] : [0.1, 10]
    damage(`UPDATE rows_transactions SET cart_total = '0.01' WHERE rid % ${every} = 5`)
    const perWindow = all.compared / all.drawn
    const windows = Math.ceil((rowsToFind(rate, 0.99) / perWindow) * 1.5)
    expect(windows).toBeLessThan(all.drawn)
    const part = await check({ windows, seed: 4 })
    expect(part.drawn).toBe(windows)
    expect(part.mismatched).toBeGreaterThan(0)
    expect(part.rateBound).toBeGreaterThan((part.wrongDrawn ?? 0) / part.drawn)
    // What was not drawn is not healed by it; a full sample is.
    const rest = await check()
    expect(rest.mismatched).toBe(rest.healed)
    expect((await check()).mismatched).toBe(0)
  })

  test('single records are asked for by their id, and what differs is corrected', async () => {
    const before = rows()
    const sound = await check({ windows: 1, records: 30 }, 'id')
    expect(sound).toMatchObject({ drawn: 30, compared: 30, mismatched: 0, changed: 0 })
    expect(sound.rateBound).toBeCloseTo(1 - 0.05 ** (1 / 30), 9)
    damage(
      `UPDATE rows_transactions SET cart_total = '0.01' WHERE rid % 4 = 0`,
      `UPDATE rows_transactions SET raw = json_set(raw, '$.cart.total', 1.23) WHERE rid % 4 = 1`,
    )
    const told = await check({ windows: 1, records: 30, seed: 3, heal: false }, 'id')
    expect(told.mismatched).toBeGreaterThan(3)
    expect(told.mismatched).toBeLessThan(30)
    expect(await check({ windows: 1, records: 30, seed: 3 }, 'id')).toMatchObject({
      drawn: 30,
      mismatched: told.mismatched,
      healed: told.mismatched,
    })
    expect(await check({ windows: 1, records: 30, seed: 3 }, 'id')).toMatchObject({
      mismatched: 0,
      changed: 0,
    })
    const rest = await check()
    expect(rest.mismatched).toBe(rest.healed)
    expect(rows()).toEqual(before)
  })

  test('a stored row that the API does not have is found by id and by window, and becomes a tombstone', async () => {
    const ghost = (id: string): string =>
      `INSERT INTO rows_vendors (store_id, batch, first_batch, id, modified, raw)
       SELECT store_id, batch, first_batch, '${id}', modified, json_set(raw, '$.id', '${id}')
       FROM rows_vendors LIMIT 1`
    const gone = (): unknown => {
      const database = new Database(running.config.database, { readonly: true })
      try {
        return database
          .prepare(`SELECT id FROM vendors WHERE deleted_because = 'absent' ORDER BY id`)
          .pluck()
          .all()
      } finally {
        database.close()
      }
    }
    damage(ghost('ghost-1'))
    expect(await check({ streams: ['vendors'], records: 1000, heal: false }, 'id')).toMatchObject({
      mismatched: 0,
      changed: 1,
    })
    expect(await check({ streams: ['vendors'], records: 1000 }, 'id')).toMatchObject({
      changed: 1,
    })
    expect(gone()).toEqual(['ghost-1'])
    damage(ghost('ghost-2'))
    expect(await check({ streams: ['vendors'] })).toMatchObject({ mismatched: 0, changed: 1 })
    expect(gone()).toEqual(['ghost-1', 'ghost-2'])
    expect(await check({ streams: ['vendors'], records: 1000 }, 'id')).toMatchObject({
      changed: 0,
    })
  })

  test('an edit since the last reading is not an error, and is stored', async () => {
    const [first] = (await control(
      running.sandbox,
      'GET',
      'records?store=downtown&stream=products',
    )) as { id: string }[]
    await control(running.sandbox, 'POST', 'records', {
      store: 'downtown',
      stream: 'products',
      op: 'edit',
      id: first!.id,
      patch: { name: 'renamed' },
    })
    expect(await check({ streams: ['products'] })).toMatchObject({
      drawn: 1,
      mismatched: 0,
      changed: 1,
    })
    expect(await check({ streams: ['products'] })).toMatchObject({ mismatched: 0, changed: 0 })
  })
})

test('a sweep finds an edit that lies behind the lookback, and says how many there were', async () => {
  const findOrder: FindOrder = () => ({ streams: ['products'], days: 3650 }) as never
  running.worker.dependencies.findOrder = findOrder
  const swept = (await execute('sweep', { store: 'downtown' })) as SweepResult
  expect(swept).toMatchObject({ store: 'downtown', missed: 0 })
  expect(swept.fetched).toBeGreaterThan(0)
})
