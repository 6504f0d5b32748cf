import { describe, expect, it } from 'vitest'
import { settingsOfStore } from '../../exports/journal/store-settings.ts'
import { nightOrder } from '../../schedules/orders.ts'
import { load, makeFolder, problemsOf, STORE } from './loading.ts'

makeFolder()

const THREE = ['uptown', 'harbor'].map(id => STORE.replace('downtown', id)).join('')
const chain = (accounting: string, more = ''): string =>
  `stores:${STORE}${THREE}\naccounting: ${accounting}\n${more}`

describe('the accounting of a store', () => {
  it("is the chain's wherever the store says nothing, and its own by name where it does", () => {
    const { accounting } = load(
      chain(`
  accounts: { cash: 1015 Drawers, tips: 2310 Tips }
  byCategory: { Edibles: { revenue: 4012 Edibles, cogs: 5012 COGS edibles } }
  formats: [qbo]
  missingCosts: flag
  stores:
    harbor:
      code: H1
      accounts: { cash: 090 Till }
      byCategory: { Edibles: { revenue: 200 Edibles } }
      formats: [xero]
      missingCosts: hold
      xero: { dates: day-first }
      periodClosedThrough: 2026-02-28`),
    )
    const harbor = settingsOfStore(accounting, 'harbor')
    expect(harbor).toMatchObject({
      accounts: { cash: { code: '090' }, tips: { code: '2310' }, debit: { code: '1050' } },
      byCategory: { Edibles: { revenue: { code: '200' }, cogs: { code: '5012' } } },
      formats: ['xero'],
      missingCosts: 'hold',
      xero: { dates: 'day-first' },
      periodClosedThrough: '2026-02-28',
      stores: { harbor: { code: 'H1' } },
    })
    expect(settingsOfStore(accounting, 'uptown')).toMatchObject({
      accounts: { cash: { code: '1015' } },
      formats: ['qbo'],
      missingCosts: 'flag',
      periodClosedThrough: undefined,
    })
  })

  it('is written at night as the store wants it, where nights write journals', () => {
    const nights = (nightly: string, harbor: string): unknown => {
      const config = load(
        chain(
          `{ stores: { harbor: { ${harbor} } } }`,
          `schedules: { nightly: { journal: ${nightly} } }`,
        ),
      )
      return config.stores.map(store => nightOrder(config, store).books.journal)
    }
    expect(nights('[qbo]', 'formats: [xero]')).toEqual([['qbo'], ['qbo'], ['xero']])
    expect(nights('[]', 'formats: [xero]')).toEqual([[], [], []])
    expect(nights('[]', 'nightlyJournal: [xero]')).toEqual([[], [], ['xero']])
    expect(nights('[qbo]', 'nightlyJournal: []')).toEqual([['qbo'], ['qbo'], []])
  })

  it('may use a code for another account than the chain does, and not for two of its own', () => {
    const harbor = (accounts: string): string =>
      chain(`{ stores: { harbor: { accounts: { ${accounts} } } } }`)
    expect(load(harbor('cash: 4010 Till, revenueAdultUse: 200 Sales')).stores).toHaveLength(3)
    expect(problemsOf(harbor('cash: 4010 Till'))).toEqual([
      expect.stringMatching(/accounting\.\S*revenueAdultUse has the code of \S*stores\.harbor/),
    ])
  })

  it('is asked for names that QuickBooks Desktop can read only where the store is on it', () => {
    const long = '"611 A name of far more than thirty-one characters"'
    const harbor = (formats: string): string =>
      chain(`{ stores: { harbor: { formats: ${formats}, accounts: { tips: ${long} } } } }`)
    expect(load(harbor('[xero]')).stores).toHaveLength(3)
    expect(problemsOf(harbor('[iif]'))).toContainEqual(
      expect.stringContaining('accounting.stores.harbor.accounts.tips has a name of more than 31'),
    )
  })
})
