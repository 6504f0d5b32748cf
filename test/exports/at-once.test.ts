import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { exportFiles } from '../../exports/export-files.ts'
import { createDatabase, insertRecords, sales } from './export-database.ts'
import { freshFolder, orderFor, salesOf } from './order.ts'

it('no more exports run at once than there are processors, and all of them end', async () => {
  const begun = new Set<string>()
  const most = { atOnce: 0 }
  const exportOne = async (): Promise<string[]> => {
    const folder = freshFolder()
    insertRecords(createDatabase(join(folder, 'tillage.db')), sales, 'downtown', salesOf(50))
    const progress = (): void => {
      begun.add(folder)
      most.atOnce = Math.max(most.atOnce, begun.size)
    }
    const { files } = await exportFiles({ ...orderFor(folder, { formats: ['csv'] }), progress })
    begun.delete(folder)
    return files.map(({ dataset }) => dataset)
  }
  const orders = Array.from({ length: availableParallelism() + 3 }, exportOne)
  expect(await Promise.all(orders)).toEqual(orders.map(() => ['sales', 'sale_items']))
  expect(most.atOnce).toBeGreaterThan(0)
  expect(most.atOnce).toBeLessThanOrEqual(availableParallelism())
})
