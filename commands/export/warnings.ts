import type { BooksPlace } from '../../books/books-place.ts'
import { streamsOf } from '../../books/export-store.ts'
import type { StoreExport } from '../../books/export-store.ts'
import { countLetters, readLetters } from '../../books/order-journal.ts'
import { storeClockOf } from '../../books/store-clock.ts'
import { businessDays } from '../../calendar/business-day.ts'
import { dayOf, daysAsInterval, localMinute } from '../../calendar/clock.ts'
import { addDays } from '../../calendar/days.ts'
import { openAgain } from '../../connectors/destination/coverage.ts'
import type { ReadOnlyDatabase } from '../../connectors/destination/read-only.ts'
import { FILTERS_BY_ANOTHER_TIME } from '../../reading/read-window.ts'

interface Days {
  from: string
  to: string
}

/**
 * Streams whose API filters by another time than the one that exports pick rows by: proven, and yet
 * not all that was modified in the range.
 */
export async function warnAboutFilters(
  { findings }: ReadOnlyDatabase,
  store: string,
  datasets: readonly string[],
): Promise<string[]> {
  const parents = streamsOf(datasets).map(({ name }) => name)
  const found = await findings.of(store)
  return found
    .filter(({ code, stream }) => code === FILTERS_BY_ANOTHER_TIME && parents.includes(stream))
    .map(
      ({ stream }) =>
        `${store} ${stream}: ` +
        `the API picks records by another time than modified (${FILTERS_BY_ANOTHER_TIME}), ` +
        'so records that were modified in this range may be missing from these files',
    )
}

/**
 * Records of these days that no table could take: they were proven to be there, and are in no file.
 * Sales go by their own times and business days, as in the books; other lists by their windows.
 */
export async function warnAboutDeadLetters(
  { config, database }: BooksPlace,
  store: string,
  datasets: readonly string[],
  days: Days,
): Promise<string[]> {
  const sales = async (): Promise<number> => {
    const letters = await readLetters(database, store)
    if (letters.length === 0) return 0
    const clock = storeClockOf(config, store, await database.timeZone(store))
    return countLetters(letters, days, clock)
  }
  const counted = await Promise.all(
    streamsOf(datasets).map(async stream => ({
      stream: stream.name,
      count: await (stream.bookedAt === undefined
        ? database.deadLetters.count(store, stream, days)
        : sales()),
    })),
  )
  return counted
    .filter(({ count }) => count > 0)
    .map(
      ({ stream, count }) =>
        `${store} ${stream}: ${count} ` +
        (count === 1
          ? 'record of these days is a dead letter '
          : 'records of these days are dead letters ') +
        `and in no file; see why: tillage dead-letters list --store ${store} --stream ${stream}`,
    )
}

/**
 * Days that were proven, and not when they were read again: the earlier proof holds, and what came
 * since is in no file.
 */
export async function warnAboutFailedAgain(
  { config, database }: BooksPlace,
  store: string,
  datasets: readonly string[],
  days: Days,
): Promise<string[]> {
  const clock = storeClockOf(config, store, await database.timeZone(store))
  const warnings: string[] = []
  for (const { name, bookedAt } of streamsOf(datasets)) {
    const range =
      bookedAt === undefined ? daysAsInterval(days, clock.timeZone) : businessDays(days, clock)
    const rows = await database.ledger.windows(store, name, range)
    const failed = await openAgain(database.ledger, { store, stream: name }, rows)
    if (!failed.some(one => one.startMs < range.endMs && one.endMs > range.startMs)) continue
    // A business day may end in the night after it.
    const to = addDays(dayOf(range.endMs - 1, clock.timeZone), 1)
    warnings.push(
      `${store} ${name}: proven before, and not when it was read again, ` +
        'so what changed since is in no file; make it proven: ' +
        `tillage sync ${name} --store ${store} --from ${days.from} --to ${to}`,
    )
  }
  return warnings
}

/** Later readings of booked transactions are there, with a hole between. */
export function warnAboutEdits({ store, edits }: StoreExport): string[] {
  return edits?.state === 'hole'
    ? [
        `${store} ${edits.stream}: not all that was modified ` +
          `after ${localMinute(edits.knownUntilMs, edits.timeZone)} is proven`,
      ]
    : []
}

/** Days that are so recent that edits of their transactions are still to come. */
export function describeEdits({ store, edits }: StoreExport, days: Days): string | undefined {
  if (edits === undefined || edits.state === 'settled') return undefined
  const known =
    `${store} ${edits.stream}: edits are known ` +
    `until ${localMinute(edits.knownUntilMs, edits.timeZone)}`
  return edits.state === 'open'
    ? `${known}; what is edited later makes a revision when you export again`
    : `${known}, and only in part after that; make it proven: ` +
        `tillage sync ${edits.stream} --store ${store} ` +
        `--from ${days.to} --to ${addDays(days.to, 8)}`
}
