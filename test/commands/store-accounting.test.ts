import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { command as accounts } from '../../commands/accounts.ts'
import { books } from '../../commands/books.ts'
import { readCsv } from '../../text/read-csv.ts'
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

/** One store in Canada, beside two of a chain in the United States. */
async function twoCountries() {
  const keeper = await bookkeeper(STORES)
  const stores = keeper.config.stores.map(store => ({
    id: store.id,
    baseUrl: store.baseUrl,
    partnerKey: 'p',
    developerKey: store.id,
    timeZone: 'America/Los_Angeles',
    dayStartsAt: '02:00',
    ...(store.id === 'harbor' ? { currency: 'CAD' } : {}),
  }))
  keeper.reconfigure({ stores })
  for (const store of STORES) keeper.sales([T1, T2, T3], {}, store)
  return { keeper, stores }
}

test('a journal and its manifest name the currency of their store', async () => {
  const { keeper } = await twoCountries()
  const { stdout } = await keeper.journal()
  expect(stdout).toMatch(/harbor-20260308-R0 .* CAD$/m)
  expect(stdout).toMatch(/downtown-20260308-R0 .* USD$/m)
  const read = (name: RegExp): string =>
    readFileSync(
      pathIn(
        keeper.config.exports,
        keeper.files().find(file => name.test(file))!,
      ),
      'utf8',
    )
  const currencies = (store: string): unknown[] => [
    ...new Set(
      readCsv(read(new RegExp(`daily_sales_journal_${store}_`))).map(row => row['currency']),
    ),
    (JSON.parse(read(new RegExp(`manifest_${store}_`))) as { currency: string }).currency,
  ]
  expect(currencies('harbor')).toEqual(['CAD', 'CAD'])
  expect(currencies('downtown')).toEqual(['USD', 'USD'])
})

test('the totals of a month never add one currency to another', async () => {
  const { keeper } = await twoCountries()
  await keeper.journal()
  const { stdout } = await keeper.listen(false, context =>
    books(context, { month: DAY.slice(0, 7) }),
  )
  expect(stdout.match(/^ *1010 .*$/gm)).toEqual([
    expect.stringMatching(/CAD +92\.50 /),
    expect.stringMatching(/USD +185\.00 /),
  ])
})

test('a day keeps the currency that it was posted in, until somebody restates it', async () => {
  const { keeper, stores } = await twoCountries()
  await keeper.journal({ store: 'harbor' })
  keeper.reconfigure({ stores: stores.map(store => ({ ...store, currency: 'MXN' })) })
  const again = await keeper.journal({ store: 'harbor' })
  expect(again.stdout).toMatch(/unchanged/)
  await keeper.journal({ store: 'harbor', restate: true, reason: 'in pesos' })
  const rows = keeper
    .files()
    .filter(name => name.includes('daily_sales_journal_harbor_'))
    .flatMap(name => readCsv(readFileSync(pathIn(keeper.config.exports, name), 'utf8')))
  const byEntry = new Map(rows.map(row => [row['journal_id'], row['currency']]))
  expect([...byEntry]).toEqual([
    ['harbor-20260308-R0', 'CAD'],
    ['harbor-20260308-X1', 'CAD'],
    ['harbor-20260308-R1', 'MXN'],
  ])
})
