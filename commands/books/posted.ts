import type { PeriodOrder } from '../../books/close-period.ts'
import type { MonthDay, StoreMonth } from '../../books/month.ts'
import { describeAct, recordPosted, sameRef, withdrawPosted } from '../../books/posting-acts.ts'
import { isDay } from '../../calendar/days.ts'
import type { PostingAct } from '../../connectors/destination/given-out.ts'
import { UsageError } from '../../errors.ts'
import { requireText } from '../arguments/choices.ts'
import { readDay } from '../arguments/day-words.ts'
import type { Terminal } from '../terminal/terminal.ts'

export interface PostedOptions {
  ref?: string
  revision?: number
  withdraw?: boolean
  reason?: string
}

/** `tillage books posted DAY`: a day's journal was imported, or was not after all. */
export async function printPosted(
  { stores, terminal, ...place }: PeriodOrder & { stores: readonly string[]; terminal: Terminal },
  day: string,
  { ref, revision, withdraw, reason }: PostedOptions,
): Promise<number> {
  const [store, another] = stores
  if (another !== undefined)
    throw new UsageError(
      'the journals of each store are imported by themselves',
      `Name the store: --store, one of ${stores.join(', ')}.`,
    )
  const order = { store: store!, day, revision, by: place.by }
  const act =
    withdraw === true
      ? await withdrawPosted(place, order, requireText(reason, '--reason is missing', WHY))
      : await recordPosted(place, order, requireText(ref, '--ref is missing', NUMBER))
  terminal.print(
    terminal.json
      ? JSON.stringify(act)
      : `${act.store}: ${act.day} r${act.revision} ${act.event} ${describeAct(act)}`,
  )
  for (const other of sameRef(await place.history.postingActs(act.store), act))
    terminal.log(
      `${other.store}: ${other.day} r${other.revision} was posted under the same number, ` +
        `${describeAct(other)}. If one of them is not right: --withdraw --reason TEXT`,
    )
  return 0
}

const WHY = 'Say why it was not posted after all: --withdraw --reason "the draft was deleted".'
const NUMBER = 'Give the number that the other program has for it: --ref 812.'

export function requireDay(typed: string | undefined): string {
  const day = typed === undefined ? undefined : readDay(typed)
  if (day === undefined || !isDay(day))
    throw new UsageError(
      day === undefined
        ? 'books posted needs a day'
        : `${JSON.stringify(day)} is not a day of the calendar`,
      'Name the business day of the journal: tillage books posted yyyy-MM-dd --ref NO --by NAME',
    )
  return day
}

/** As a cell of the month: the numbers of the other program, or what is not there yet. */
export function importCell({ imports }: MonthDay, { recordsImports }: StoreMonth): string {
  if (!recordsImports) return ''
  const waiting = imports.filter(({ posted }) => posted === null)
  if (waiting.length > 0) return `not ${waiting.map(({ revision }) => `r${revision}`).join(', ')}`
  return imports.map(({ posted }) => posted?.ref ?? 'yes').join(', ')
}

/** Revisions that nobody said were imported, where somebody says it of others. */
export function describeWaitingImports({ store, days, recordsImports }: StoreMonth): string[] {
  const waiting = days.flatMap(({ day, imports }) =>
    imports.filter(({ posted }) => posted === null).map(({ revision }) => ({ day, revision })),
  )
  const [first] = waiting
  if (first === undefined || !recordsImports) return []
  const which = waiting.map(({ day, revision }) => `${day} r${revision}`).slice(0, MOST_SHOWN)
  const more = waiting.length > MOST_SHOWN ? ` and ${waiting.length - MOST_SHOWN} more` : ''
  return [
    `${store}: nobody has recorded the import of ${which.join(', ')}${more}: tillage books posted ` +
      `${first.day} --store ${store} --revision ${first.revision} --ref NO --by NAME`,
  ]
}

const MOST_SHOWN = 5

/** What `--json` says of a day's imports. */
export const importsAsJson = (imports: MonthDay['imports']): object[] =>
  imports.map(({ revision, posted }) => ({ revision, posted: posted && actAsJson(posted) }))

const actAsJson = ({ ref, by, at }: PostingAct): object => ({ ref, by, at })
