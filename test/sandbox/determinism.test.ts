import { expect, it } from 'vitest'
import { ask, sandboxWith } from './asking.ts'

const PATHS = [
  '/store',
  '/transactions?startDate=03/09/2026&endDate=03/14/2026',
  '/members?startDate=1772900000000&endDate=1773400000000',
  '/store/batches/dates?startDate=1772900000000&endDate=1773400000000',
  '/purchaseorders/list',
  '/products',
  '/vendors',
  '/category',
]

it('gives the same bytes for the same seed, and others for another seed', async () => {
  const [first, again, other] = await Promise.all([
    sandboxWith({ seed: 7 }),
    sandboxWith({ seed: 7 }),
    sandboxWith({ seed: 8 }),
  ])
  expect(again.stores).toEqual(first.stores)
  for (const path of PATHS) {
    const answer = await ask(first, path)
    expect(answer.status).toBe(200)
    expect((await ask(again, path)).text).toBe(answer.text)
    expect((await ask(other, path)).text).not.toBe(answer.text)
  }
})

it('does not let one store depend on how many others there are', async () => {
  const [two, five] = await Promise.all([sandboxWith({ stores: 2 }), sandboxWith({ stores: 5 })])
  expect(five.stores.slice(0, 2)).toEqual(two.stores)
  for (const path of PATHS)
    expect((await ask(five, path, { store: 1 })).text).toBe(
      (await ask(two, path, { store: 1 })).text,
    )
})

it('has by default two stores with more than 20,000 transactions in 60 days, and the documented keys', async () => {
  const sandbox = await sandboxWith({ days: 60, transactionsPerDay: 180 })
  expect(sandbox.stores.map(({ id, timeZone }) => [id, timeZone])).toEqual([
    ['downtown', 'America/Los_Angeles'],
    ['harbor', 'America/New_York'],
  ])
  expect(sandbox.partnerKeys[0]!.key).toBe(sandbox.partnerKey)
  expect(
    sandbox.partnerKeys.map(({ permissions }) => permissions.includes('PERFORM_RECONCILIATION')),
  ).toEqual([true, false])
})

it('names what is wrong with an option', async () => {
  await expect(sandboxWith({ until: '2026-02-30' })).rejects.toThrow(
    /until is 2026-02-30; valid is an ISO day/,
  )
  await expect(sandboxWith({ stores: 0 })).rejects.toThrow(/stores is 0/)
  await expect(sandboxWith({ profiles: ['nice'] })).rejects.toThrow(
    /no profile nice; valid are cap37/,
  )
})
