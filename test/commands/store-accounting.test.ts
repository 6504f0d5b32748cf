import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { command as accounts } from '../../commands/accounts.ts'
import { books } from '../../commands/books.ts'
import { pathIn } from '../exports/order.ts'
import { T1, T2, T3 } from '../exports/sales/worked-example.ts'
import { bookkeeper, DAY } from './bookkeeper.ts'

const STORES = ['downtown', 'uptown', 'harbor'] as const

async function chain() {
  const keeper = await bookkeeper(STORES, {
    accounting: {
      formats: ['qbo'],
      stores: {
        harbor: { formats: ['xero'], accounts: { cash: '1010 Till', tips: '610 Gratuities' } },
      },
    },
  })
  for (const store of STORES) keeper.sales([T1, T2, T3], {}, store)
  return keeper
}

test('one store is on Xero with a chart of its own, beside two on QuickBooks with that of the chain', async () => {
  const keeper = await chain()
  expect(await keeper.journal()).toMatchObject({ status: 0 })
  const journals = keeper.files().filter(name => /journal_(qbo|xero)_/.test(name))
  expect(journals).toEqual([
    expect.stringMatching(/journal_qbo_downtown_/),
    expect.stringMatching(/journal_qbo_uptown_/),
    expect.stringMatching(/journal_xero_harbor_/),
  ])
  const textOf = (store: string): string =>
    readFileSync(
      pathIn(
        keeper.config.exports,
        keeper.files().find(name => name.includes(`daily_sales_journal_${store}_`))!,
      ),
      'utf8',
    )
  expect(textOf('harbor')).toContain('Till')
  expect(textOf('harbor')).not.toContain('Cash on hand')
  expect(textOf('uptown')).toContain('Cash on hand')
})

test('the totals of a month keep a code apart that is another account in another store', async () => {
  const keeper = await chain()
  await keeper.journal()
  const month = DAY.slice(0, 7)
  const { stdout } = await keeper.listen(false, context => books(context, { month }))
  expect(stdout.match(/^ *1010 .*$/gm)).toEqual([
    expect.stringContaining('Cash on hand'),
    expect.stringContaining('Till'),
  ])
})

test('accounts shows each chart once with the stores that have it', async () => {
  const keeper = await chain()
  const { stdout } = await keeper.listen(false, context => accounts.run(context, {}))
  expect(stdout).toMatch(/^ {2}downtown, uptown$/m)
  expect(stdout).toMatch(/^ {2}harbor$/m)
  expect(stdout.match(/Cash on hand/g)).toHaveLength(1)
  expect(stdout).toMatch(/harbor: journals are written as xero/)
})
