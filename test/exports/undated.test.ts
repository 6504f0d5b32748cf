import { join } from 'node:path'
import { expect, it } from 'vitest'
import { DAY_MS } from '../../calendar/days.ts'
import { createDatabase, insertRecords, sales } from './export-database.ts'
import { exportHere, freshFolder, orderFor, START_MS } from './order.ts'

const dated = { ...sales, eventTimes: ['modified', 'paidAt'] }

it('writes a record without its cursor field in the range of its next time, and in no other', async () => {
  const folder = freshFolder()
  const database = createDatabase(join(folder, 'tillage.db'), [dated])
  const lines = {
    sale_items: [
      { product: 'A', price: '1.00' },
      { product: 'B', price: '2.00' },
    ],
  }
  insertRecords(database, dated, 'downtown', [
    { row: { id: 'modified', modified: START_MS + 1 }, children: lines },
    { row: { id: 'paid', paid_at: START_MS + 2 }, children: lines },
    { row: { id: 'moved', modified: START_MS + DAY_MS, paid_at: START_MS + 3 }, children: lines },
    { row: { id: 'paid-later', paid_at: START_MS + DAY_MS }, children: lines },
  ])
  database.close()
  const rowsIn = async (day: number): Promise<Record<string, number>> => {
    const order = orderFor(folder, {
      streams: [dated],
      datasets: ['sales', 'sale_items'],
      formats: ['csv'],
      days: { from: `2026-03-0${8 + day}`, to: `2026-03-${day === 0 ? '09' : '10'}` },
      range: { startMs: START_MS + day * DAY_MS, endMs: START_MS + (day + 1) * DAY_MS },
    })
    const { files } = await exportHere(order)
    return Object.fromEntries(files.map(({ dataset, rows }) => [dataset, rows]))
  }
  expect(await rowsIn(0)).toEqual({ sales: 2, sale_items: 4 })
  expect(await rowsIn(1)).toEqual({ sales: 2, sale_items: 4 })
})
