import { storeClockOf } from '../../books/store-clock.ts'
import { anyDayFinder } from '../../calendar/business-day.ts'
import { actNow, alone, evictShop } from '../../connectors/database.ts'
import type { Evicted } from '../../connectors/database.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { UsageError } from '../../errors.ts'
import type { Context } from '../command.ts'
import { requireDatabase } from '../database/require-database.ts'
import { countOf } from '../terminal/number.ts'
import { describeReadAgain } from './read-again.ts'

export interface EvictOptions {
  shop?: string
  company?: string
  by: string
  reason?: string
  dryRun?: boolean
}

/**
 * `tillage store evict ID --shop SHOP`: takes rows of another shop out again. 3 where there were
 * some: their windows are to be read again, and days that were booked with them have changed.
 */
export async function storeEvict(
  { config, terminal }: Context,
  options: EvictOptions,
  store: string,
): Promise<number> {
  const { by, reason = '', dryRun = false } = options
  if (reason.trim() === '' && !dryRun)
    throw new UsageError('--reason is missing', 'Say why; --dry-run only shows the consequences.')
  const order = { store, ...ownerOf(options), dryRun, nowMs: Date.now() }
  await requireDatabase(config)
  const { field, owner } = order
  const evicted = await alone(config.database, dialect =>
    evictShop(dialect, order, streams, ({ streams: taken }) =>
      actNow('store evict', { store, [field]: owner, taken, by, reason }),
    ),
  )
  const { bookedMinutes, timeZone, givenOut, ...rest } = evicted
  const dayOf = anyDayFinder(storeClockOf(config, store, timeZone))
  const days = [...new Set(bookedMinutes.map(dayOf))]
  const isGiven = (day: string): boolean => givenOut.some(({ from, to }) => from <= day && day < to)
  const report = { ...rest, bookedDays: days, changedDays: days.filter(isGiven), dryRun }
  terminal.print(terminal.json ? JSON.stringify(report) : describe(report).join('\n'))
  return evicted.streams.length > 0 ? 3 : 0
}

function ownerOf({ shop, company }: EvictOptions): {
  field: 'shopId' | 'companyId'
  owner: string
} {
  if ((shop === undefined) === (company === undefined))
    throw new UsageError(
      'name whose rows to remove, with --shop or --company',
      'ROWS_OF_ANOTHER_SHOP and tillage store list name shops and companies.',
    )
  return shop === undefined
    ? { field: 'companyId', owner: company! }
    : { field: 'shopId', owner: shop }
}

interface Report extends Omit<Evicted, 'bookedMinutes' | 'timeZone' | 'givenOut'> {
  bookedDays: string[]
  /** Of those, days of which files or journals were given out. */
  changedDays: string[]
  dryRun: boolean
}

function describe({ store, streams: taken, windows, silent, ...days }: Report): string[] {
  if (taken.length === 0) return [`${store} has no such rows; nothing was changed`]
  const { bookedDays, changedDays, dryRun } = days
  const reading = describeReadAgain(store, windows, dryRun)
  return [
    `${store}: rows that ${dryRun ? 'would be' : 'were'} taken out:`,
    ...taken.map(
      ({ stream, rows, versions, deadLetters }) =>
        `  ${stream}: ${countOf(rows, 'row')}, ${countOf(versions, 'earlier version')}, ` +
        countOf(deadLetters, 'dead letter'),
    ),
    ...reading,
    ...(bookedDays.length === 0
      ? []
      : [`  business days with such rows: ${bookedDays.join(', ')}`]),
    ...(changedDays.length === 0
      ? []
      : [`  given out already, and to be exported again: ${changedDays.join(', ')}`]),
    ...(silent.length === 0
      ? []
      : [
          `  rows of ${silent.join(', ')} do not say whose they are; if they came with the same key:`,
          `    tillage sync ${silent.join(' ')} --store ${store} --again`,
        ]),
  ]
}
