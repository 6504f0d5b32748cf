import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { draw } from '../../activities/choose-sample.ts'
import { canonicalJson } from '../../connectors/sqlite/compare-rows.ts'
import { rowsToFind } from '../../schedules/confidence.ts'
import type { CheckInput, CheckResult } from '../../workflows/check.ts'
import type { SweepResult } from '../../workflows/sweep.ts'
import { control } from '../helpers/project.ts'
import { startRunning, type Running } from '../helpers/running.ts'

const LONG = process.env['TILLAGE_LONG'] === '1'
const DAYS = 12
let running: Running
let number = 0
const execute = (type: string, input: object): Promise<unknown> => running.worker.client.workflow.execute(type, { workflowId: `test-${number++}`, taskQueue: running.worker.taskQueue, args: [input] })
const check = async (change: Partial<CheckInput> = {}): Promise<CheckResult['streams'][number]> =>
  ((await execute('check', { store: 'downtown', streams: ['transactions'], windows: 100, heal: true, ...change })) as CheckResult).streams[0]!
const damage = (...statements: string[]): void => {
  const database = new Database(running.config.database)
  for (const statement of statements) database.exec(statement)
  database.close()
}
const rows = (): unknown[] => {
  const database = new Database(running.config.database, { readonly: true })
  try {
    return [database.prepare('SELECT * FROM transactions ORDER BY id').all(), database.prepare('SELECT * FROM transaction_items ORDER BY 1, 2, 3').all()]
  } finally {
    database.close()
  }
}

beforeAll(async () => {
  running = await startRunning({ days: DAYS, transactionsPerDay: LONG ? 1000 : 120 })
  await execute('syncStore', { store: 'downtown', streams: ['transactions', 'products'], from: '2026-03-03', to: '2026-03-16' })
})
afterAll(() => running.close())

describe('the outside auditor', () => {
  test('finds nothing wrong where nothing is, and says how sure that is', async () => {
    const sound = await check()
    expect(sound).toMatchObject({ mismatched: 0, changed: 0 })
    expect(sound.compared).toBe((rows()[0] as unknown[]).length)
    expect(sound.rateBound).toBeCloseTo(1 - 0.05 ** (1 / sound.compared), 9)
  })

  test('finds one damaged row in a thousand of each kind, heals it, and the wrong state is kept where it was one', async () => {
    const before = rows()
    damage(
      `UPDATE rows_transactions SET cart_total = '1.23' WHERE rid % 1000 = 7`,
      `UPDATE rows_transactions SET raw = json_set(raw, '$.cart.total', 1.23) WHERE rid % 1000 = 8`,
      `UPDATE rows_transactions SET raw = json_set(raw, '$.modified', 9999999999999), modified = 9999999999999 WHERE rid % 1000 = 9`,
      `UPDATE rows_transactions SET raw = substr(raw, 1, 40) WHERE rid % 1000 = 11`,
      `DELETE FROM rows_transaction_items WHERE rid % 1000 = 12 AND line_no = 1`,
      `DELETE FROM rows_transactions WHERE rid % 1000 = 13`,
    )
    const wrong = (await check({ heal: false })).mismatched
    expect(wrong).toBeGreaterThanOrEqual(6)
    expect(rows()).not.toEqual(before)
    expect(await check()).toMatchObject({ mismatched: wrong, healed: wrong })
    expect(rows()).toEqual(before)
    expect((await check()).mismatched).toBe(0)
  })

  test('a sample of days is enough: as many rows as find one in a thousand with the chance that is asked for', async () => {
    const all = await check()
    // More rows are damaged where the data is small, so that a part of it is as sure.
    const [rate, every] = LONG ? [0.001, 1000] : [0.02, 50]
    damage(`UPDATE rows_transactions SET cart_total = '0.01' WHERE rid % ${every} = 5`)
    const perWindow = all.compared / all.windows
    const windows = Math.ceil((rowsToFind(rate, 0.99) / perWindow) * 1.5)
    expect(windows).toBeLessThan(all.windows)
    const part = await check({ windows, seed: 4 })
    expect(part.windows).toBe(windows)
    expect(part.mismatched).toBeGreaterThan(0)
    // What was not drawn is not healed by it; a full sample is.
    const rest = await check()
    expect(rest.mismatched).toBe(rest.healed)
    expect((await check()).mismatched).toBe(0)
  })

  test('an edit since the last reading is no mistake, and is taken in', async () => {
    const [first] = (await control(running.sandbox, 'GET', 'records?store=downtown&stream=products')) as { id: string }[]
    await control(running.sandbox, 'POST', 'records', { store: 'downtown', stream: 'products', op: 'edit', id: first!.id, patch: { name: 'renamed' } })
    expect(await check({ streams: ['products'] })).toMatchObject({ windows: 1, mismatched: 0, changed: 1 })
    expect(await check({ streams: ['products'] })).toMatchObject({ mismatched: 0, changed: 0 })
  })
})

test('a sweep finds an edit that lies behind the lookback, and says how many there were', async () => {
  const swept = (await execute('sweep', { store: 'downtown', streams: ['products'], days: 3650 })) as SweepResult
  expect(swept).toMatchObject({ store: 'downtown', missed: 0 })
  expect(swept.fetched).toBeGreaterThan(0)
})

test('the same content is the same, whatever the order of its keys; other digits are other content', () => {
  expect(canonicalJson('{"b":1.50,"a":[{"y":2,"x":null}]}')).toBe(canonicalJson('{"a":[{"x":null,"y":2}],"b":1.50}'))
  expect(canonicalJson('{"a":1.50}')).not.toBe(canonicalJson('{"a":1.5}'))
  expect(canonicalJson('{"a":12345678901234567890}')).not.toBe(canonicalJson('{"a":12345678901234567891}'))
  expect(canonicalJson('{"a":"1"}')).not.toBe(canonicalJson('{"a":1}'))
})

test('a draw is the same for the same seed, without replacement, and another for another', () => {
  const pool = Array.from({ length: 200 }, (_, index) => index)
  expect(draw(pool, 10, 1)).toEqual(draw(pool, 10, 1))
  expect(draw(pool, 10, 1)).not.toEqual(draw(pool, 10, 2))
  expect(draw(pool, 500, 3).toSorted((a, b) => a - b)).toEqual(pool)
})
