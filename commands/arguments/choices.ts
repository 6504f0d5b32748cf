import { isDay } from '../../calendar/days.ts'
import type { Config } from '../../config.ts'
import type { ReadOnlyDatabase } from '../../connectors/destination/read-only.ts'
import { dailyStreams, streams } from '../../connectors/partner/streams/index.ts'
import { UsageError } from '../../errors.ts'
import { chooseNames, splitNames } from '../../names.ts'

/** What the command line may name, checked before anything is started. */

/** The daily streams, or those that were named. */
export const chooseStreams = (names: readonly string[]): string[] =>
  names.length === 0
    ? dailyStreams.map(({ name }) => name)
    : chooseNames(
        'stream',
        names,
        streams.map(({ name }) => name),
      )

/** The formats of a list that was typed with commas. `kind` is the singular. */
export function chooseFormats<Format extends string>(
  kind: string,
  typed: string,
  known: readonly Format[],
): Format[] {
  const names = splitNames(typed)
  if (names.length === 0)
    throw new UsageError(`no ${kind} was named`, `Formats are: ${known.join(', ')}.`)
  return chooseNames(kind, names, known)
}

/** All stores of the configuration, or the one that was named. */
export function chooseStores(config: Config, id: string | undefined): string[] {
  const known = config.stores.map(store => store.id)
  return id === undefined ? known : chooseNames('store', [id], known)
}

/**
 * The same, for what only reads the database: also a store that left the configuration may be named
 * while its data is there.
 */
export async function chooseReadStores(
  config: Config,
  database: Pick<ReadOnlyDatabase, 'stores'>,
  id: string | undefined,
): Promise<string[]> {
  if (id === undefined) return chooseStores(config, id)
  const left = (await database.stores.all()).map(store => store.id)
  const configured = config.stores.map(store => store.id)
  return chooseNames('store', [id], [...new Set([...configured, ...left])])
}

/**
 * What was planned or counted is of its own stores, and is taken as a whole: `--store` may name
 * those and no others, so that nobody believes that it leaves some of them out.
 */
export function refuseOtherStores(
  what: string,
  stores: readonly string[],
  named: string | undefined,
): void {
  const names = splitNames(named ?? '')
  const isSame = names.length === stores.length && names.every(name => stores.includes(name))
  if (named === undefined || isSame) return
  throw new UsageError(
    `${what} is of ${stores.join(', ')}, and is taken as a whole`,
    'Nothing was done. Leave out --store.',
  )
}

export interface DayRange {
  from?: string | undefined
  to?: string | undefined
}

/** Store-local days, `from` inclusive and `to` exclusive. */
export function checkDays({ from, to }: DayRange): DayRange {
  for (const [name, day] of [
    ['--from', from],
    ['--to', to],
  ] as const) {
    if (day !== undefined) refuseOddDay(name, day)
  }
  if (from !== undefined && to !== undefined && from >= to)
    throw new UsageError(
      `the range from ${from} to ${to} is empty`,
      '--to is exclusive: one day is --from D --to D+1.',
    )
  return { from, to }
}

/** What is older is a year that was mistyped: 0206 would be read week by week for 1,800 years. */
const FIRST_DAY = '1970-01-01'

/** What is no day of the calendar, or is long before any store. */
export function refuseOddDay(name: string, day: string): void {
  if (!isDay(day))
    throw new UsageError(
      `${name} ${JSON.stringify(day)} is not a day of the calendar`,
      'Write days as yyyy-MM-dd, like 2026-03-01.',
    )
  if (day < FIRST_DAY)
    throw new UsageError(`${name} ${day} is before ${FIRST_DAY}`, 'Is the year right?')
}

/** The same, where both days are needed. */
export function requireDays(days: DayRange): { from: string; to: string } {
  const { from, to } = checkDays(days)
  if (from === undefined || to === undefined)
    throw new UsageError(
      `${from === undefined ? '--from' : '--to'} is missing`,
      'Give both days: --from inclusive, --to exclusive.',
    )
  return { from, to }
}

/** What was typed, without blanks around it; `problem` is said where nothing was. */
export function requireText(text: string | undefined, problem: string, remedy: string): string {
  const said = text?.trim() ?? ''
  if (said === '') throw new UsageError(problem, remedy)
  return said
}
