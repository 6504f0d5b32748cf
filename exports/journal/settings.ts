import { z } from 'zod'
import { isDay } from '../../calendar/days.ts'
import { mustBeOneOf } from '../../names.ts'
import { ACCOUNT_ROLES, DEFAULT_CHART, IMPORTERS, TAX_AUTHORITIES } from './chart.ts'
import type { Account, AccountRole } from './chart.ts'

/** The journal's formats: one way of writing the same entries for each importer, and for people. */
export const JOURNAL_FORMATS = ['generic', ...IMPORTERS, 'page'] as const
export type JournalFormat = (typeof JOURNAL_FORMATS)[number]

/**
 * Which comes first in a date of Xero's: its import reads them as the organisation's country does.
 */
export const XERO_DATES = ['day-first', 'month-first'] as const
export type XeroDates = (typeof XERO_DATES)[number]

const word = z.string().trim().min(1, 'is empty')

const textsOf = <Text>(text: Text): Record<(typeof IMPORTERS)[number], Text> => {
  const texts = IMPORTERS.map(importer => [importer, text])
  return Object.fromEntries(texts) as Record<(typeof IMPORTERS)[number], Text>
}

/** `'1010 Cash on hand'`, or its parts with the texts that single importers want. */
const account = z.union(
  [
    word.transform(accountOf),
    z.strictObject({
      code: word,
      name: word,
      ...textsOf(word.optional()),
    }),
  ],
  {
    error:
      "must be an account like '1010 Cash on hand', or { code, name } with " +
      `${IMPORTERS.join(', ')} where an importer wants another text`,
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

const byCategory = z.record(z.string(), ownAccounts)

const byConsumerType = z.strictObject({
  adult_use: ownAccounts.optional(),
  medicinal_state: ownAccounts.optional(),
  medicinal_third_party: ownAccounts.optional(),
  other: ownAccounts.optional(),
})

const tenders = z.record(z.string(), account)

const taxes = z.strictObject(
  Object.fromEntries(TAX_AUTHORITIES.map(authority => [authority, account.optional()])) as Record<
    (typeof TAX_AUTHORITIES)[number],
    z.ZodOptional<typeof account>
  >,
)

const formats = z.array(z.enum(JOURNAL_FORMATS, { error: mustBeOneOf(JOURNAL_FORMATS) }))

const missingCosts = z.enum(['hold', 'flag'], { error: 'must be hold or flag' })

const xero = z.strictObject({
  dates: z.enum(XERO_DATES, { error: mustBeOneOf(XERO_DATES) }).optional(),
})

/** A section with an entry for each role of the chart. */
const perRole = <Entry extends z.ZodType>(entryOf: (role: AccountRole) => Entry) =>
  z.strictObject(
    Object.fromEntries(ACCOUNT_ROLES.map(role => [role, entryOf(role)])) as Record<
      AccountRole,
      Entry
    >,
  )

/** One store: what others call it, and all in which its books are not those of the chain. */
const ofOneStore = z.strictObject({
  /** The prefix of its journal numbers. */
  code: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,7}$/, 'must be 1 to 8 letters, digits or dashes')
    .optional(),
  /** The importers' Location. */
  location: word.optional(),
  /** NetSuite's Subsidiary. */
  subsidiary: word.optional(),
  accounts: perRole(() => account.optional()).optional(),
  byCategory: byCategory.optional(),
  byConsumerType: byConsumerType.optional(),
  tenders: tenders.optional(),
  taxes: taxes.optional(),
  formats: formats.optional(),
  /** What its nights write, instead of `schedules.nightly.journal`. */
  nightlyJournal: formats.optional(),
  missingCosts: missingCosts.optional(),
  periodClosedThrough: day.optional(),
  xeroTaxRate: word.optional(),
  xero: xero.optional(),
})

/** `accounting:` of tillage.yaml, before one section of it is held against another. */
export const accountingSections = z.strictObject({
  accounts: perRole(charted).prefault({}),
  /** By category name or id, as the API writes it. */
  byCategory: byCategory.default({}),
  byConsumerType: byConsumerType.default({}),
  /** By tender (`cash`, `debit`, ...) or a word of the API that is none of them. */
  tenders: tenders.default({}),
  /**
   * By authority; `unsplit` is a total that the API gives without its parts, and has no account
   * unless it is named here.
   */
  taxes: taxes.default({}),
  formats: formats.default(['generic']),
  /**
   * A journal without all of its cost of goods is held back, or marked in its files and their name.
   */
  missingCosts: missingCosts.default('hold'),
  /**
   * Books up to and with this day are closed: what changes there later is posted on the day of the
   * run.
   */
  periodClosedThrough: day.optional(),
  /** Stores by id, where they differ from all that is said above. */
  stores: z.record(z.string(), ofOneStore).default({}),
  /**
   * The full name of Xero's rate: taxes are posted as the till computed them, never computed again.
   */
  xeroTaxRate: word.default('Tax Exempt'),
  /**
   * How the Xero organisation writes dates. Unless it is said, as the store's country does: the
   * month first in zones of the United States, the day first anywhere else.
   */
  xero: xero.prefault({}),
})

/** The chain's, or those of one store: `settingsOfStore`. */
export type AccountingSettings = z.infer<typeof accountingSections>

/** `1010 Cash on hand` is code and name; a text without a code in front is both. */
function accountOf(text: string): Account {
  const [, code, name] = /^(\S*\d\S*)\s+(.+)$/.exec(text) ?? []
  return code === undefined || name === undefined ? { code: text, name: text } : { code, name }
}
