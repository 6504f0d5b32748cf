import { addDays, daysBetween } from '../../calendar/days.ts'
import { UsageError } from '../../errors.ts'
import type { JournalOrder } from '../../exports/journal/journal-order.ts'
import { refuseOddDay, requireDays, requireText } from '../arguments/choices.ts'
import type { DayRange } from '../arguments/choices.ts'

export interface JournalOptions extends DayRange {
  date?: string
  store?: string
  format?: string
  closing?: string
  explain?: boolean
  suspense?: boolean
  reason?: string
  restate?: boolean
  reissue?: boolean
  by?: string
  dryRun?: boolean
  out?: string
}

/** One business day, or each day of a range. */
export function chooseJournalDays(options: JournalOptions): string[] {
  const { date, from, to, closing, explain, suspense } = options
  if (from === undefined && to === undefined) return [chooseDate(date)]
  if (date !== undefined)
    throw new UsageError(
      '--date is one day, and --from with --to are many',
      'Give the day, or the range: --to is exclusive.',
    )
  for (const [name, given] of [
    ['--closing', closing !== undefined],
    ['--explain', explain === true],
    ['--suspense', suspense === true],
  ] as const)
    if (given)
      throw new UsageError(`${name} is about one day`, 'Name the business day: --date yyyy-MM-dd.')
  const range = requireDays({ from, to })
  return Array.from({ length: daysBetween(range.from, range.to) }, (_, at) =>
    addDays(range.from, at),
  )
}

function chooseDate(date: string | undefined): string {
  if (date === undefined)
    throw new UsageError(
      '--date is missing',
      'Name the business day: --date yyyy-MM-dd, or a range of them: --from and --to.',
    )
  refuseOddDay('--date', date)
  return date
}

/** A day is posted again, or written again, only because a person says so. */
export const chooseRewrite = ({
  restate,
  reissue,
  reason,
  by,
}: JournalOptions): Pick<JournalOrder, 'restateReason' | 'reissuedBy'> => ({
  restateReason:
    restate === true
      ? requireText(
          reason,
          '--restate needs a reason',
          'Say why the day is posted again: --restate --reason "flower has its own account".',
        )
      : undefined,
  reissuedBy:
    reissue === true
      ? requireText(
          by,
          '--reissue needs a name',
          'Say who knows that nothing was imported yet: --reissue --by "Ana Ruiz".',
        )
      : undefined,
})

export const chooseReason = ({ suspense, reason }: JournalOptions): string | undefined =>
  suspense === true
    ? requireText(
        reason,
        '--suspense needs a reason',
        'Say why the difference may stay: --suspense --reason "drawer counted again, 0.10 short".',
      )
    : undefined
