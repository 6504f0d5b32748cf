import { UsageError } from '../../errors.ts'
import type { PostedEntry } from '../posting-history.ts'
import { accountsIn } from './accounts-in.ts'
import type { DayJournal } from './build-journal.ts'
import type { JournalEntry, StoreTexts } from './entry.ts'
import { storeTexts, withTexts } from './given-journals.ts'
import type { GivenJournals } from './given-journals.ts'
import type { JournalDay, JournalOrder } from './journal-order.ts'
import { differencesOf, reviseJournal } from './revise.ts'
import { JOURNAL_FORMATS } from './settings.ts'
import type { AccountingSettings } from './settings.ts'

/** What a day says now, and what was posted and given out of it. */
export interface Wanted {
  order: JournalOrder
  day: JournalDay
  given: Pick<GivenJournals, 'posted' | 'revisionsOf'>
  /** Those that the day is posted by: `settingsFor`. */
  settings: AccountingSettings
  built: DayJournal
}

/** What is posted now. */
export interface DecidedEntries {
  entries: JournalEntry[]
  /** The number that they are posted under. */
  revision: number
  /** What a later revision of the day is to be posted by. */
  settings: AccountingSettings
}

/**
 * A day is posted again by the settings that it was posted by: a changed chart is no change of the
 * day. Ways to pay and taxes that had no account then have those of today.
 */
export function settingsFor(
  { settings, restateReason }: JournalOrder,
  posted: readonly PostedEntry[] | undefined,
): AccountingSettings {
  const then = posted?.at(-1)?.settings
  if (then === undefined || restateReason !== undefined) return settings
  return {
    ...settings,
    accounts: then.accounts,
    missingCosts: settings.missingCosts === 'flag' ? 'flag' : (then.missingCosts ?? 'flag'),
    byCategory: then.byCategory,
    byConsumerType: then.byConsumerType,
    tenders: { ...settings.tenders, ...then.tenders },
    taxes: { ...settings.taxes, ...then.taxes },
  }
}

/**
 * The entries that bring the books to what the day says now; none where they say it, or it is held.
 */
export function decideEntries(wanted: Wanted): DecidedEntries {
  const { order, day, built, given, settings } = wanted
  const nothing = { entries: [], revision: day.revision, settings }
  if (built.held) return nothing
  const revision = revisionFor(wanted)
  const changes = changesFor(wanted, revision)
  const isChanged = changes.some(({ lines }) => lines.length > 0) || given.posted === undefined
  const reissued = reissue(wanted)
  if (isChanged) return { ...nothing, entries: changes, revision }
  if (reissued === undefined) return nothing
  return {
    ...nothing,
    entries: [reissued],
    settings: withTextsOf(settings, order.settings),
  }
}

/**
 * A number of its own for a restatement of a state that has a posting already, or a file of one:
 * an importer's first file has the number of its state, and tells of what was posted before.
 */
function revisionFor({ order, day, given }: Wanted): number {
  if (order.restateReason === undefined) return day.revision
  const files = JOURNAL_FORMATS.flatMap(format => given.revisionsOf(format))
  return Math.max(day.revision, lastRevision(given.posted) + 1, ...files.map(number => number + 1))
}

const lastRevision = (posted: readonly PostedEntry[] | undefined): number =>
  Math.max(-1, ...(posted ?? []).map(entry => entry.revision))

function changesFor(
  { order, day, given: { posted }, settings, built }: Wanted,
  revision: number,
): JournalEntry[] {
  // The state that was posted is still the state: whatever differs now, the settings made it.
  if (posted !== undefined && lastRevision(posted) >= revision) return []
  const isRestated = order.restateReason !== undefined
  return reviseJournal(
    {
      businessDate: day.businessDate,
      store: textsOfStore(order, day, posted),
      lines: built.lines,
      note: noteOf(built),
      revision,
      today: order.today,
      periodClosedThrough: settings.periodClosedThrough,
      isRestated,
    },
    posted,
  )
}

/** What importers called the store when the day was posted, unless somebody restates it. */
function textsOfStore(
  { settings, currency, restateReason }: JournalOrder,
  { store }: JournalDay,
  posted: readonly PostedEntry[] | undefined,
): StoreTexts {
  const now = storeTexts(store, settings, currency)
  return restateReason === undefined ? (posted?.at(-1)?.store ?? now) : now
}

function noteOf({ missingCosts }: DayJournal): string | undefined {
  if (missingCosts === 0) return undefined
  return `without the cost of ${missingCosts} ${missingCosts === 1 ? 'line' : 'lines'}`
}

/**
 * The last entry once more, with what importers call its accounts and its store today. A change of
 * what was posted keeps the store's texts, which the posting has, too.
 */
function reissue({ order, day, built, given: { posted } }: Wanted): JournalEntry | undefined {
  const last = posted?.at(-1)
  if (order.reissuedBy === undefined || last === undefined) return undefined
  // It mirrors what was imported; nothing of the day stands after it.
  if (last.kind === 'reversal') return undefined
  if (differencesOf(built.lines, posted!).length > 0)
    throw new UsageError(
      'the day would be posted differently, not only renamed',
      'Post it again: --restate --reason TEXT',
    )
  const now = storeTexts(day.store, order.settings, order.currency)
  const store = last.kind === 'change' ? (last.store ?? now) : now
  return withTexts(last, order.settings, store)
}

/** Settings with every account that others know by its code as these call it. */
function withTextsOf(settings: AccountingSettings, others: AccountingSettings): AccountingSettings {
  const known = new Map(accountsIn(others).map(({ account }) => [account.code, account]))
  const asKnown = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    if ('code' in value && 'name' in value) return known.get(String(value.code)) ?? value
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, asKnown(part)]))
  }
  const { accounts, byCategory, byConsumerType, tenders, taxes } = settings
  const charts = { accounts, byCategory, byConsumerType, tenders, taxes }
  return { ...settings, ...(asKnown(charts) as typeof charts) }
}
