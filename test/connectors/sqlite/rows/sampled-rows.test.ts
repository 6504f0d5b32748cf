import { describe, expect, it } from 'vitest'
import { randomNumbers } from '../../../../activities/choose-sample.ts'
import { drawRows, rowsNumbered } from '../../../../connectors/sql/rows/sampled-rows.ts'
import { kyselyOn } from '../../../../connectors/sqlite/connection/query-builder.ts'
import { text, timestamp } from '../../../../connectors/stream.ts'
import { salesStream } from '../sales-stream.ts'
import { openDatabase } from '../window-database.ts'

const sales = salesStream({ ...text('id', 'name'), ...timestamp('modified') })
const records = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) =>
    JSON.stringify({ id: `s${from + index}`, modified: from + index, name: 'x' }),
  )

describe('rows drawn at random', () => {
  it('are living rows of the store, none twice, and the same for the same seed', async () => {
    const { load, connection } = await openDatabase([sales])
    load(sales, [records(0, 400)])
    load(sales, [records(400, 700)], { store: 'uptown' })
    connection.exec('DELETE FROM rows_sales WHERE rid % 7 = 0')
    connection.exec('UPDATE rows_sales SET gone_at = 1 WHERE rid % 5 = 0')
    const alive = new Set(
      connection
        .prepare(`SELECT rid FROM rows_sales WHERE store_id = 'downtown' AND gone_at IS NULL`)
        .pluck()
        .all() as number[],
    )
    const drawn = await drawRows(kyselyOn(connection), 'downtown', sales, {
      count: 50,
      random: randomNumbers(7),
    })
    expect(new Set(drawn).size).toBe(50)
    for (const number of drawn) expect(alive).toContain(number)
    expect(
      await drawRows(kyselyOn(connection), 'downtown', sales, {
        count: 50,
        random: randomNumbers(7),
      }),
    ).toEqual(drawn)
    expect(
      await drawRows(kyselyOn(connection), 'downtown', sales, {
        count: 50,
        random: randomNumbers(8),
      }),
    ).not.toEqual(drawn)
    expect(
      (await rowsNumbered(kyselyOn(connection), 'downtown', sales, drawn)).map(
        ({ number }) => number,
      ),
    ).toEqual(drawn.toSorted((a, b) => a - b))
  })

  it('are all of them where more are asked for than there are', async () => {
    const { load, connection } = await openDatabase([sales])
    expect(
      await drawRows(kyselyOn(connection), 'downtown', sales, {
        count: 10,
        random: randomNumbers(1),
      }),
    ).toEqual([])
    load(sales, [records(0, 30)])
    expect(
      await drawRows(kyselyOn(connection), 'downtown', sales, {
        count: 100,
        random: randomNumbers(1),
      }),
    ).toHaveLength(30)
    expect(
      await drawRows(kyselyOn(connection), 'elsewhere', sales, {
        count: 100,
        random: randomNumbers(1),
      }),
    ).toEqual([])
  })

  it('have the same chance each, also beside a hole of numbers', async () => {
    const { load, connection } = await openDatabase([sales])
    load(sales, [records(0, 1000)])
    connection.exec('DELETE FROM rows_sales WHERE rid BETWEEN 101 AND 900')
    const random = randomNumbers(11)
    const times = new Map<number, number>()
    for (let round = 0; round < 400; round++)
      for (const number of await drawRows(kyselyOn(connection), 'downtown', sales, {
        count: 10,
        random,
      }))
        times.set(number, (times.get(number) ?? 0) + 1)
    // 4,000 draws of 200 rows: 20 each, and with a standard deviation of 4.4 none at 45.
    expect(times.size).toBe(200)
    expect(Math.max(...times.values())).toBeLessThan(45)
    const besideTheHole = (times.get(100) ?? 0) + (times.get(901) ?? 0)
    expect(besideTheHole).toBeLessThan(75)
  })
})
