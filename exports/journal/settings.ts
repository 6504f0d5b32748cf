import { z } from 'zod'
import { isDay } from '../../calendar/days.ts'
import { ACCOUNT_ROLES, DEFAULT_CHART, TAX_AUTHORITIES } from './chart.ts'
import type { Account, AccountRole } from './chart.ts'

/** The journal's formats: one way of writing the same entries for each importer. */
export const JOURNAL_FORMATS = ['generic', 'qbo', 'xero', 'iif', 'netsuite'] as const
export type JournalFormat = (typeof JOURNAL_FORMATS)[number]

/**
 * Which comes first in a date of Xero's: its import reads them as the organisation's country does.
 */
export const XERO_DATES = ['day-first', 'month-first'] as const
export type XeroDates = (typeof XERO_DATES)[number]

const word = z.string().trim().min(1, 'is empty')

/** `'1010 Cash on hand'`, or its parts with the texts that single importers want. */
const account = z.union(
  [
    word.transform(accountOf),
    z.strictObject({
      code: word,
      name: word,
      qbo: word.optional(),
      xero: word.optional(),
      iif: word.optional(),
      netsuite: word.optional(),
    }),
  ],
  {
    error:
      "must be an account like '1010 Cash on hand', or { code, name } with qbo, xero, " +
      'iif or netsuite where an importer wants another text',
  },
)

export interface OwnAccounts {
  revenue?: Account | undefined
  returns?: Account | undefined
  discounts?: Account | undefined
  cogs?: Account | undefined
  inventory?: Account | undefined
}

/**
 * Where lines of one category or one kind of consumer go, as far as that differs from the chart. An
 * account alone is its revenue.
 */
const ownAccounts = z.union(
  [
    account.transform((revenue): OwnAccounts => ({ revenue })),
    z.strictObject({
      revenue: account.optional(),
      returns: account.optional(),
      discounts: account.optional(),
      cogs: account.optional(),
      inventory: account.optional(),
    }),
  ],
  {
    error:
      "must be an account like '4011 Flower', or { revenue, returns, " +
      'discounts, cogs, inventory }',
  },
)

const charted = (role: AccountRole) => account.default({ ...DEFAULT_CHART[role] })

const day = z.string().refine(isDay, { error: 'must be a day like 2026-10-31' })

const sections = z.strictObject({
  accounts: z
    .strictObject(
      Object.fromEntries(ACCOUNT_ROLES.map(role => [role, charted(role)])) as Record<
        AccountRole,
        ReturnType<typeof charted>
      >,
    )
    .prefault({}),
  /** By category name or id, as the API writes it. */
  byCategory: z.record(z.string(), ownAccounts).default({}),
  byConsumerType: z
    .strictObject({
      adult_use: ownAccounts.optional(),
      medicinal_state: ownAccounts.optional(),
      medicinal_third_party: ownAccounts.optional(),
      other: ownAccounts.optional(),
    })
    .default({}),
  /** By tender (`cash`, `debit`, ...) or a word of the API that is none of them. */
  tenders: z.record(z.string(), account).default({}),
  /**
   * By authority; `unsplit` is a total that the API gives without its parts, and has no account
   * unless it is named here.
   */
  taxes: z
    .strictObject(
      Object.fromEntries(
        TAX_AUTHORITIES.map(authority => [authority, account.optional()]),
      ) as Record<(typeof TAX_AUTHORITIES)[number], z.ZodOptional<typeof account>>,
    )
    .default({}),
  formats: z
    .array(z.enum(JOURNAL_FORMATS, { error: `must be one of: ${JOURNAL_FORMATS.join(', ')}` }))
    .default(['generic']),
  /**
   * A journal without all of its cost of goods is held back, or marked in its files and their name.
   */
  missingCosts: z.enum(['hold', 'flag'], { error: 'must be hold or flag' }).default('hold'),
  /**
   * Books up to and with this day are closed: what changes there later is posted on the day of the
   * run.
   */
  periodClosedThrough: day.optional(),
  /**
   * How importers call a store: the prefix of its journal numbers, the importers' Location,
   * NetSuite's Subsidiary.
   */
  stores: z
    .record(
      z.string(),
      z.strictObject({
        code: z
          .string()
          .regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,7}$/, 'must be 1 to 8 letters, digits or dashes')
          .optional(),
        location: word.optional(),
        subsidiary: word.optional(),
      }),
    )
    .default({}),
  /**
   * The full name of Xero's rate: taxes are posted as the till computed them, never computed again.
   */
  xeroTaxRate: word.default('Tax Exempt'),
  /**
   * How the Xero organisation writes dates. Unless it is said, as the store's country does: the
   * month first in zones of the United States, the day first anywhere else.
   */
  xero: z
    .strictObject({
      dates: z.enum(XERO_DATES, { error: `must be one of: ${XERO_DATES.join(', ')}` }).optional(),
    })
    .prefault({}),
})

export type AccountingSettings = z.infer<typeof sections>

/**
 * `accounting:` of tillage.yaml. Everything has a default: the chart of `chart.ts`, no closed
 * period, the generic format.
 */
export const accountingSettings = sections.superRefine((settings, context) => {
  for (const { path, other } of contradictions(settings))
    context.addIssue({
      code: 'custom',
      path,
      message:
        `has the code of ${other.join('.')}, but another name or another text for an importer; ` +
        'one code is one account, so write both alike',
    })
})

interface PlacedAccount {
  path: string[]
  account: Account
}

/** Every account that the settings name, with its place; own accounts before those of the chart. */
export function accountsIn({
  accounts,
  byCategory,
  byConsumerType,
  tenders,
  taxes,
}: AccountingSettings): PlacedAccount[] {
  const placed = (
    path: string[],
    map: Readonly<Record<string, Account | undefined>>,
  ): PlacedAccount[] =>
    Object.entries(map).flatMap(([name, account]) =>
      account === undefined ? [] : [{ path: [...path, name], account }],
    )
  const own = (
    section: string,
    map: Readonly<Record<string, OwnAccounts | undefined>>,
  ): PlacedAccount[] =>
    Object.entries(map).flatMap(([name, accountsOfIt]) =>
      placed([section, name], { ...accountsOfIt }),
    )
  return [
    ...own('byCategory', byCategory),
    ...own('byConsumerType', byConsumerType),
    ...placed(['tenders'], tenders),
    ...placed(['taxes'], taxes),
    ...placed(['accounts'], accounts),
  ]
}

/**
 * A journal that was posted knows accounts by their code, so that the code must say everything
 * else.
 */
function contradictions(settings: AccountingSettings): { path: string[]; other: string[] }[] {
  const first = new Map<string, PlacedAccount>()
  return accountsIn(settings).flatMap(({ path, account: one }) => {
    const known = first.get(one.code)
    if (known === undefined) first.set(one.code, { path, account: one })
    const isSame =
      known === undefined ||
      (['name', 'qbo', 'xero', 'iif', 'netsuite'] as const).every(
        text => one[text] === known.account[text],
      )
    return isSame ? [] : [{ path, other: known.path }]
  })
}

/** `1010 Cash on hand` is code and name; a text without a code in front is both. */
function accountOf(text: string): Account {
  const [, code, name] = /^(\S*\d\S*)\s+(.+)$/.exec(text) ?? []
  return code === undefined || name === undefined ? { code: text, name: text } : { code, name }
}
