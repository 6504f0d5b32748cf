import type { Interval } from '../../calendar/days.ts'
import { openSnapshot } from '../../connectors/database-for-exports.ts'
import type { Stream } from '../../connectors/stream.ts'
import { amountText } from '../../money/amount.ts'
import type { PostingHistory } from '../posting-history.ts'
import { newestManifest } from '../revisions/manifest.ts'
import { allSales } from '../sales/sales.ts'
import type { DayJournal } from './build-journal.ts'
import { sidesOf } from './entry.ts'
import type { JournalOrder } from './journal-order.ts'
import { byAccount } from './journal-outcome.ts'
import type { AccountAmount } from './journal-outcome.ts'
import { judgeDay } from './prepare-journal.ts'
import { differencesOf } from './revise.ts'

/** A business day of a store that was posted, and what its journal would need to know now. */
export interface PostedDayOrder {
  database: string
  history: PostingHistory
  /** The exports folder. */
  out: string
  store: string
  days: { from: string; to: string }
  /** The same day as instants. */
  range: Interval
  stream: Stream
  journal: JournalOrder
}

/** What the rows of a day say that its journal does not. */
export interface Unposted {
  /** The debits of what is not posted; of a day that would be held as far as it can be told. */
  amount: string
  /** The same by account, debits positive; nothing where it only moved within an account. */
  accounts: AccountAmount[]
  /** The first reason why the next journal of the day would be held back. */
  heldBy: string | undefined
}

/** Computes the journal of a day from its rows as they are; undefined: what was posted says it. */
export async function readUnposted(order: PostedDayOrder): Promise<Unposted | undefined> {
  const { database, history, out, store, days, range, stream, journal } = order
  await using snapshot = await openSnapshot(database, { store, ...range })
  const newest = newestManifest(out, { store, days })
  const place = { store, businessDate: days.from, newest, history }
  const sales = await allSales(snapshot, stream, range)
  const { given, built } = await judgeDay(sales, journal, place)
  const differences = differencesOf(built.lines, given.posted ?? [])
  if (differences.length === 0 && !built.held) return undefined
  return {
    amount: amountText(sidesOf(differences).debit),
    accounts: byAccount(differences),
    heldBy: built.held ? whyHeld(built) : undefined,
  }
}

const whyHeld = ({ exceptions, tieOuts }: DayJournal): string => {
  const error = exceptions.find(({ severity }) => severity === 'error')
  if (error !== undefined) return `${error.code}: ${error.detail}`
  const failed = tieOuts.find(({ status }) => status === 'failed')
  return failed === undefined
    ? 'it does not tie out'
    : `${failed.check} should be ${failed.expected} and is ${failed.actual}`
}
