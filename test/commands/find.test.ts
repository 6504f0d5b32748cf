import { expect, test } from 'vitest'
import { auditFolder, keepSnapshot } from '../../audit/folder.ts'
import { command as find } from '../../commands/find.ts'
import { history } from '../../commands/history.ts'
import { withOutbound } from '../../commands/plans/with-outbound.ts'
import { aSnapshot } from '../audit/a-snapshot.ts'
import { T1, T2, T3 } from '../exports/sales/worked-example.ts'
import { bookkeeper } from './bookkeeper.ts'

async function store() {
  const keeper = await bookkeeper(['downtown', 'harbor'])
  keeper.sales([T1, T2, T3])
  keeper.sales([{ ...T1, id: 'T9', transNo: '909' }], {}, 'harbor')
  keeper.read('downtown', 'batches', [
    { id: 'B-1', sku: 'SKU-77', trackPackageLabel: '1A4060300000022000000042', modified: 1 },
  ])
  const finding = async (word: string, options: { store?: string } = {}) => {
    const { stdout } = await keeper.listen(true, context => find.run(context, { ...options }, word))
    return (JSON.parse(stdout) as { found: Record<string, string>[] }).found
  }
  const refusalOf = (word: string) =>
    finding(word).then(
      () => '',
      (error: Error) => error.message,
    )
  return { keeper, finding, refusalOf }
}

test('a receipt is found by its number, with its day, its journal, and the command that tells its story', async () => {
  const { keeper, finding } = await store()
  const receipt = T1['transNo'] as string
  expect(await finding(receipt)).toEqual([
    {
      store: 'downtown',
      what: 'transaction',
      name: `${receipt} (T1)`,
      stands: '2026-03-08, not booked',
      command: 'tillage history transactions T1 --store downtown',
    },
  ])
  await keeper.journal({ store: 'downtown' })
  const [found] = await finding(receipt)
  expect(found!['stands']).toBe('2026-03-08, booked by downtown-20260308-R0')
  expect(await finding('DOWNTOWN-20260308-R0')).toMatchObject([
    { what: 'journal', stands: 'about 2026-03-08' },
  ])
})

test('SKUs, package tags and ids are found in any case, else by a part of the name', async () => {
  const { finding, refusalOf } = await store()
  for (const word of ['sku-77', '1a4060300000022000000042', 'B-1'])
    expect(await finding(word)).toMatchObject([{ what: 'batch', stands: 'there' }])
  expect(await finding('gumm')).toMatchObject([{ what: 'product' }, { what: 'product' }])
  expect(await finding('gumm', { store: 'harbor' })).toHaveLength(1)
  expect(await refusalOf('nobody')).toContain('nothing here is called "nobody"')
  expect(await refusalOf('%')).toContain('nothing here is called')
})

test('history takes the number of a receipt and an SKU for an id', async () => {
  const { keeper } = await store()
  const told = (stream: string, word: string) =>
    keeper.listen(true, context => history(context, {}, stream, word))
  expect((await told('transactions', '909')).stdout).toContain('harbor')
  expect((await told('batches', 'sku-77')).status).toBe(0)
  await expect(told('transactions', 'none')).rejects.toThrow('has no record none')
  await expect(told('products', 'gummies')).rejects.toThrow('2 records that are called gummies')
})

test('a plan is found by its id, with the names of its stores', async () => {
  const { keeper, finding } = await store()
  const stores = ['downtown', 'harbor'].map(name => ({ store: name, counts: {}, error: null }))
  const plan = { plan: 'PL-1', hash: 'h', createdAt: '2026-03-09T08:15:00.000Z' }
  await withOutbound(keeper.config, outbound =>
    outbound.savePlan({ ...plan, kind: 'push', facts: { stores } }, []),
  )
  expect(await finding('PL-1')).toEqual([
    {
      store: 'downtown, harbor',
      what: 'push plan',
      name: 'PL-1',
      stands: 'made 2026-03-09 08:15 UTC',
      command: 'tillage push show PL-1',
    },
  ])
})

test('an audit is found by its id or that of its sheets, in any case', async () => {
  const { keeper, finding, refusalOf } = await store()
  const audit = 'AUD-20260309-0800-ab12cd'
  const folder = auditFolder(keeper.config.exports, 'harbor', audit)
  keepSnapshot(folder, aSnapshot({ audit, store: 'harbor' }))
  for (const word of [audit, audit.toLowerCase(), 'CS-20260309-0800-AB12CD'])
    expect(await finding(word)).toMatchObject([{ store: 'harbor', what: 'audit', name: audit }])
  expect(await refusalOf('AUD-20260309-0800-ab12ce')).toContain('nothing here is called')
})
