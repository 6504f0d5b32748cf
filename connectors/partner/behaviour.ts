/**
 * What an API does where its documentation is silent, concluded from answers. Pure: the probe asks,
 * this decides. Every fact comes with its evidence; what the answers do not tell is `unknown`.
 */
import type { Page } from './read-page.ts'
import { orderOf } from './read-rows.ts'

export interface Fact {
  name: string
  value: string
  /** What was asked and what came, without values of records. */
  evidence: string
}

const UNKNOWN = 'unknown'
/** Ends what is known of a size where nothing larger was tried, or there. */
export const OR_MORE = ' or more'

/** One page, asked for with a limit that no page is expected to reach. */
export function factsOfPage(page: Page, limit: number): Fact[] {
  const { rows, total } = page
  return [
    { name: 'envelope', value: page.envelope ?? UNKNOWN, evidence: `${rows.length} rows` },
    {
      name: 'page cap',
      value: capOf(rows.length, total),
      evidence: `asked for ${limit}, got ${rows.length} of ${total ?? 'an unknown number'}`,
    },
    {
      name: 'sort order',
      value: rows.length < 3 ? UNKNOWN : (orderOf(rows, []) ?? 'none that rows show'),
      evidence: `${rows.length} rows`,
    },
    {
      name: 'dates look at',
      value: filterOf(page),
      evidence: `${page.byAnotherTime} of ${rows.length} rows lie inside by another time only`,
    },
  ]
}

function capOf(rows: number, total: number | null): string {
  if (total !== null && total > rows) return String(rows)
  return rows > 0 ? `${rows}${OR_MORE}` : UNKNOWN
}

/**
 * Whether a value says something else than the one before; `12 or more` leaves every other open.
 */
export const contradicts = (value: string, before: string): boolean =>
  value !== UNKNOWN && value !== before && ![value, before].some(text => text.endsWith(OR_MORE))

function filterOf({ rows, byAnotherTime }: Page): string {
  if (byAnotherTime > 0) return 'another time than modified'
  return rows.length > 0 ? 'modified' : UNKNOWN
}

/**
 * Which of the two documented names moves the page on: each was asked with 1, beside the first
 * page.
 */
export function offsetFact(
  first: readonly string[],
  withSkip: readonly string[],
  withStart: readonly string[],
): Fact {
  const moves = (ids: readonly string[]): boolean => ids[0] === first[1]
  const names = [...(moves(withSkip) ? ['skip'] : []), ...(moves(withStart) ? ['start'] : [])]
  return {
    name: 'offset parameter',
    value: first.length < 2 ? UNKNOWN : names.join(' and ') || 'neither',
    evidence: 'asked for offset 1 by either name',
  }
}

/** Whether a record came when its own day, or its own millisecond, was the end of the range. */
export interface DayAnswers {
  /** The record's day differs between the store's zone and UTC; only then do the answers differ. */
  zonesDiffer: boolean
  /** From its local day to its local day; the same in UTC; and each to the next day. */
  localDay: boolean
  utcDay: boolean
  localDayToNext: boolean
  utcDayToNext: boolean
}

/** End of a range and zone of days, for endpoints that take calendar days. */
export function calendarFacts(answers: DayAnswers): Fact[] {
  const { zonesDiffer, localDay, utcDay, localDayToNext, utcDayToNext } = answers
  const inUtc = `, its UTC day ${yes(utcDay)}, its UTC day to the next ${yes(utcDayToNext)}`
  const evidence = [
    `a record came for: its day ${yes(localDay)}, its day to the next ${yes(localDayToNext)}`,
    zonesDiffer ? inUtc : '',
  ].join('')
  const end = endOf(localDay || utcDay, localDayToNext || utcDayToNext)
  const [local, utc] = end === 'inclusive' ? [localDay, utcDay] : [localDayToNext, utcDayToNext]
  const isKnown = zonesDiffer && end !== UNKNOWN && local !== utc
  const zone = local ? "the store's" : 'UTC'
  return [
    { name: 'end of a range', value: end, evidence },
    {
      name: 'zone of days',
      value: isKnown ? zone : UNKNOWN,
      evidence: zonesDiffer ? evidence : 'no record whose day differs between the two zones',
    },
  ]
}

/**
 * End of a range in milliseconds: the record came when the range ended at its own `modified`, and a
 * millisecond later.
 */
export const endOfRangeFact = (atItself: boolean, after: boolean): Fact => ({
  name: 'end of a range',
  value: endOf(atItself, after),
  evidence:
    `a record came when the range ended at its own millisecond: ${yes(atItself)}; ` +
    `at the next: ${yes(after)}`,
})

/** How a range ends, by whether a record came that stands at its end, and just before it. */
function endOf(atItself: boolean, before: boolean): string {
  if (atItself) return 'inclusive'
  return before ? 'exclusive' : UNKNOWN
}

const yes = (came: boolean): string => (came ? 'yes' : 'no')

/** What a range of eight days, or a path that does not exist, is answered with. */
export const refusalFact = (
  name: string,
  refused: { status: number; shape: string } | undefined,
): Fact => ({
  name,
  value: refused === undefined ? 'answered' : `refused with ${refused.status}`,
  evidence:
    refused === undefined ? 'status 200' : `status ${refused.status}, body ${refused.shape}`,
})

/** A busy or broken API says nothing about the list. */
const isAnswer = (refused: { status: number } | undefined): refused is { status: number } =>
  refused !== undefined && refused.status !== 429 && refused.status < 500

/** A probe that was itself refused. */
export const refusedList = (
  refused: { status: number; shape: string } | undefined,
  message: string,
): Fact => ({
  name: 'offered',
  value: isAnswer(refused) ? `no (${refused.status})` : 'no answer',
  evidence: refused === undefined ? message : `status ${refused.status}, body ${refused.shape}`,
})
