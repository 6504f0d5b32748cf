import type { ConsumerType, FeeTax, TaxAuthority, Tender } from '../sales/sale.ts'

/**
 * One account. Importers want different words for it: QuickBooks its name (`Parent:Sub`), Xero its
 * code, NetSuite its exact text.
 */
export interface Account extends ImportersTexts {
  code: string
  name: string
}

/** Programs that import journals, each in a format of its own. */
export const IMPORTERS = ['qbo', 'xero', 'iif', 'netsuite'] as const
/** The text of an account for one importer, where code and name do not do. */
type ImportersTexts = Partial<Record<(typeof IMPORTERS)[number], string | undefined>>

/**
 * The default chart: every tender, tax and fee has an account, so that only a value outside the
 * enumerations is unmapped. The keys are what `accounting.accounts` in tillage.yaml may replace.
 */
export const DEFAULT_CHART = {
  cash: { code: '1010', name: 'Cash on hand' },
  debit: { code: '1050', name: 'Debit card clearing' },
  credit: { code: '1055', name: 'Credit card clearing' },
  cashlessAtm: { code: '1060', name: 'Cashless ATM clearing' },
  check: { code: '1070', name: 'Check clearing' },
  ach: { code: '1080', name: 'ACH clearing' },
  inventory: { code: '1300', name: 'Inventory' },
  cityTax: { code: '2210', name: 'City cannabis tax payable' },
  exciseTax: { code: '2220', name: 'Excise tax payable' },
  stateTax: { code: '2230', name: 'State sales tax payable' },
  countyTax: { code: '2240', name: 'County/district tax payable' },
  federalTax: { code: '2250', name: 'Federal tax payable' },
  tips: { code: '2300', name: 'Tips payable' },
  giftCards: { code: '2400', name: 'Gift card liability' },
  storeCredit: { code: '2410', name: 'Store credit liability' },
  revenueAdultUse: { code: '4010', name: 'Revenue adult-use' },
  revenueMedical: { code: '4020', name: 'Revenue medical' },
  revenueNonCannabis: { code: '4030', name: 'Revenue non-cannabis' },
  discounts: { code: '4080', name: 'Product+cart discounts' },
  loyalty: { code: '4085', name: 'Loyalty (after-tax discount)' },
  returnsAdultUse: { code: '4090', name: 'Returns adult-use' },
  returnsMedical: { code: '4091', name: 'Returns medical' },
  returnsNonCannabis: { code: '4092', name: 'Returns non-cannabis' },
  deliveryFees: { code: '4100', name: 'Delivery fees' },
  paymentFees: { code: '4110', name: 'Payment fees' },
  rounding: { code: '4950', name: 'Cash rounding' },
  adjustments: { code: '4990', name: 'Adjustments' },
  cogs: { code: '5010', name: 'COGS' },
  suspense: { code: '9999', name: 'Suspense' },
} as const satisfies Record<string, Account>

export type AccountRole = keyof typeof DEFAULT_CHART
export const ACCOUNT_ROLES = Object.keys(DEFAULT_CHART) as AccountRole[]

/**
 * Where money lands by the way it was paid. Nobody knows what `other` is: it is mapped by its name,
 * or it is an exception.
 */
export const TENDER_ROLES: Readonly<Record<Exclude<Tender, 'other'>, AccountRole>> = {
  cash: 'cash',
  debit: 'debit',
  credit: 'credit',
  cashless_atm: 'cashlessAtm',
  ach: 'ach',
  check: 'check',
  store_credit: 'storeCredit',
  gift_card: 'giftCards',
  loyalty: 'loyalty',
}

/**
 * Whom a tax is owed to. Nobody knows whom `unsplit` is owed to: it is mapped, or it is an
 * exception.
 */
export const TAX_ROLES: Readonly<Record<Exclude<TaxAuthority, FeeTax | 'unsplit'>, AccountRole>> = {
  city: 'cityTax',
  county: 'countyTax',
  state: 'stateTax',
  federal: 'federalTax',
  excise_al: 'exciseTax',
  excise_nal: 'exciseTax',
}
/** A tax of a fee is a sales tax: it goes where the state's goes, unless it is mapped. */
export const TAXED_LIKE: Readonly<Record<FeeTax, keyof typeof TAX_ROLES>> = {
  delivery: 'state',
  surcharge: 'state',
}
export const TAX_AUTHORITIES = [
  ...(Object.keys(TAX_ROLES) as (keyof typeof TAX_ROLES)[]),
  ...(Object.keys(TAXED_LIKE) as FeeTax[]),
  'unsplit',
] as const

/**
 * Medical and adult-use are two trades for the federal tax (section 280E); who is not a patient
 * buys as an adult.
 */
export const CONSUMER_ROLES: Readonly<
  Record<ConsumerType, { revenue: AccountRole; returns: AccountRole }>
> = {
  adult_use: { revenue: 'revenueAdultUse', returns: 'returnsAdultUse' },
  medicinal_state: { revenue: 'revenueMedical', returns: 'returnsMedical' },
  medicinal_third_party: { revenue: 'revenueMedical', returns: 'returnsMedical' },
  other: { revenue: 'revenueAdultUse', returns: 'returnsAdultUse' },
}
