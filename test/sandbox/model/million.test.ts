import { expect, it } from 'vitest'
import type { Page } from '../asking.ts'
import { askJson, control, idsOf, sandboxWith } from '../asking.ts'

it('serves a store of a million transactions from 12 bytes each, at any offset', async () => {
  globalThis.gc?.()
  const before = process.memoryUsage()
  const sandbox = await sandboxWith({
    stores: 1,
    days: 50,
    transactionsPerDay: 20_000,
    profiles: ['dates-ignored'],
  })
  const after = process.memoryUsage()
  // The index is 12 MB; a million records of 3 KB would be 3 GB.
  expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(60e6)

  const window = '/transactions?startDate=03/09/2026&endDate=03/14/2026'
  const seen = new Set<string>()
  for (const skip of [0, 100, 499_950, 999_800, 999_950]) {
    const page = await askJson<Page>(sandbox, `${window}&skip=${skip}`)
    expect(page.total).toBe(1_000_000)
    expect(page.values).toHaveLength(Math.min(100, 1_000_000 - skip))
    const times = page.values.map(row => row.modified)
    expect(times).toEqual([...times].sort((a, b) => b - a))
    for (const id of idsOf(page.values)) seen.add(id)
    expect(await askJson(sandbox, `/transactions/${page.values[3]!.id}`)).toEqual(page.values[3])
  }
  expect(seen.size).toBe(100 + 100 + 100 + 100 + 50)
  expect(process.memoryUsage().heapUsed - before.heapUsed).toBeLessThan(250e6)

  // A change in the middle shifts everything older by one rank, nothing else.
  const [moved] = (await askJson<Page>(sandbox, `${window}&skip=500000&limit=1`)).values
  const [next] = (await askJson<Page>(sandbox, `${window}&skip=500001&limit=1`)).values
  await control(sandbox, 'POST', '/records', {
    store: 'downtown',
    stream: 'transactions',
    op: 'delete',
    id: moved!.id,
  })
  expect(await askJson<Page>(sandbox, `${window}&skip=500000&limit=1`)).toMatchObject({
    total: 999_999,
    values: [{ id: next!.id }],
  })
})
