import { describe, expect, it } from 'vitest'
import { ACCOUNT_ROLES } from '../../../exports/journal/chart.ts'
import { accountingSettings } from '../../../exports/journal/check-settings.ts'
import { DEFAULT_ACCOUNTING } from './a-line.ts'

const problemsOf = (section: unknown): string[] =>
  (accountingSettings.safeParse(section).error?.issues ?? []).map(
    ({ path, message }) => `${path.join('.')}: ${message}`,
  )

describe('the accounting section', () => {
  it('is the default chart where it says nothing', () => {
    expect(ACCOUNT_ROLES.map(role => DEFAULT_ACCOUNTING.accounts[role].code)).toEqual([
      '1010',
      '1050',
      '1055',
      '1060',
      '1070',
      '1080',
      '1300',
      '2210',
      '2220',
      '2230',
      '2240',
      '2250',
      '2300',
      '2400',
      '2410',
      '4010',
      '4020',
      '4030',
      '4080',
      '4085',
      '4090',
      '4091',
      '4092',
      '4100',
      '4110',
      '4950',
      '4990',
      '5010',
      '9999',
    ])
    expect(DEFAULT_ACCOUNTING).toMatchObject({
      byCategory: {},
      byConsumerType: {},
      tenders: {},
      taxes: {},
      formats: ['generic'],
      stores: {},
      xeroTaxRate: 'Tax Exempt',
    })
    expect(DEFAULT_ACCOUNTING.periodClosedThrough).toBeUndefined()
  })

  it('takes an account as one text or with the words of single importers', () => {
    const { accounts, byCategory } = accountingSettings.parse({
      accounts: {
        cash: '1015 Cash in drawers',
        tips: 'Tips',
        cityTax: { code: '2210', name: 'City tax', qbo: 'Tax Payable:City' },
      },
      byCategory: {
        Flower: '4011 Flower',
        Edibles: { revenue: '4012 Edibles', cogs: '5012 COGS edibles' },
      },
    })
    expect(accounts.cash).toEqual({ code: '1015', name: 'Cash in drawers' })
    expect(accounts.tips).toEqual({ code: 'Tips', name: 'Tips' })
    expect(accounts.cityTax).toEqual({ code: '2210', name: 'City tax', qbo: 'Tax Payable:City' })
    expect(accounts.debit.code).toBe('1050')
    expect(byCategory).toEqual({
      Flower: { revenue: { code: '4011', name: 'Flower' } },
      Edibles: {
        revenue: { code: '4012', name: 'Edibles' },
        cogs: { code: '5012', name: 'COGS edibles' },
      },
    })
  })

  it('names everything that is wrong, at once', () => {
    const problems = problemsOf({
      accounts: { cash: 1010, cahs: '1010 Cash' },
      byCategory: { Flower: { revnue: '4011 Flower' } },
      byConsumerType: { adults: '4010 Revenue' },
      taxes: { village: '2260 Village' },
      formats: ['qbo', 'quicken'],
      periodClosedThrough: '2026-02-30',
      stores: { downtown: { code: 'much-too-long' } },
    })
    const places = [
      'accounts.cash',
      'accounts',
      'byCategory.Flower',
      'byConsumerType',
      'taxes',
      'formats.1',
      'periodClosedThrough',
      'stores.downtown.code',
    ]
    expect(problems.map(problem => problem.slice(0, problem.indexOf(':')))).toEqual(places)
  })

  it('refuses one code for two accounts, of its own or of the chart', () => {
    const cityTax = { code: '2200', name: 'Taxes payable', qbo: 'Tax:City' }
    expect(
      problemsOf({ accounts: { cityTax, stateTax: { ...cityTax, qbo: 'Tax:State' } } }),
    ).toEqual([
      expect.stringMatching(
        /^accounts.stateTax: has the code of accounts.cityTax, but another name/,
      ),
    ])
    expect(problemsOf({ accounts: { cityTax, stateTax: '2200 Taxes payable' } })).toHaveLength(1)
    expect(problemsOf({ byCategory: { Flower: { cogs: '5010 COGS flower' } } })).toEqual([
      expect.stringMatching(/^accounts.cogs: has the code of byCategory.Flower.cogs/),
    ])
    expect(
      problemsOf({ tenders: { Zelle: '1090 Zelle' }, taxes: { unsplit: '1090 Taxes' } }),
    ).toEqual([expect.stringMatching(/^taxes.unsplit: has the code of tenders.Zelle/)])
  })

  it('lets many places share an account that they write alike', () => {
    expect(
      problemsOf({
        accounts: { cityTax: '2200 Taxes payable', stateTax: '2200 Taxes payable' },
        taxes: { unsplit: { code: '2200', name: 'Taxes payable' } },
        byCategory: { Flower: '4010 Revenue adult-use' },
      }),
    ).toEqual([])
  })
})
