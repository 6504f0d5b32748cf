import { addDays, DAY_MS, daysBetween } from '../../calendar/days.ts'
import type { Behaviour } from '../faults/profiles.ts'
import { dayOf, dayStart, parseAmericanDay } from '../values/calendar.ts'
import { invalid } from './api-error.ts'

/** Query parameters as they came; a repeated one counts once, with its last value. */
export type Query = Readonly<Record<string, string | string[] | undefined>>

/** Half-open range of epoch milliseconds. */
export interface Range {
  fromMs: number
  toMs: number
}

export const EVERYTHING: Range = { fromMs: -Infinity, toMs: Infinity }

/**
 * "Maximum date range, most date-range endpoints: 7 days" (Limits). Which ones is a reading: see
 * the routes.
 */
const MAX_DAYS = 7
const TOO_LONG = 'Date range cannot exceed 7 days'

export function readText(query: Query, name: string): string | undefined {
  const value = query[name]
  const last = Array.isArray(value) ? value.at(-1) : value
  return last === '' ? undefined : last
}

export function readWhole(query: Query, name: string, lowest: number): number | undefined {
  const text = readText(query, name)
  if (text === undefined) return undefined
  if (!/^\d{1,15}$/.test(text) || Number(text) < lowest)
    throw invalid(name, `${name} must be a whole number of at least ${lowest}`)
  return Number(text)
}

/**
 * `start` or `skip`, `limit` (Limits, rule 1). Which of the first two an endpoint takes is partly
 * open, so both count unless a profile says so.
 */
export function readPaging(query: Query, behaviour: Behaviour): { offset: number; limit: number } {
  const start = readWhole(query, 'start', 0)
  const skip = readWhole(query, 'skip', 0)
  const offset = { start, skip, either: start ?? skip }[behaviour.offsetParameter]
  const limit = readWhole(query, 'limit', 1)
  if (limit !== undefined && limit > behaviour.largestLimit)
    throw invalid('limit', `limit must be at most ${behaviour.largestLimit}`)
  return { offset: offset ?? 0, limit: limit ?? 100 }
}

/** `days=N`: today and the days before it, in the store's zone. */
export function readLastDays(query: Query, timeZone: string, nowMs: number): Range | undefined {
  const days = readWhole(query, 'days', 1)
  if (days === undefined) return undefined
  if (days > MAX_DAYS) throw invalid('days', TOO_LONG)
  return { fromMs: dayStart(addDays(dayOf(nowMs, timeZone), 1 - days), timeZone), toMs: nowMs + 1 }
}

/** What an endpoint makes of the dates of a request. */
export interface DateRules {
  timeZone: string
  nowMs: number
  behaviour: Behaviour
  /** Ranges of more than 7 days are refused. */
  limited: boolean
}

/**
 * `startDate`, `endDate` as MM/dd/yyyy. Readings: days of the store's zone, the last day belongs to
 * the range, both may be left out for the last 7 days. Eight days, counted with the last one, are
 * refused where `limited`.
 */
export function readDays(query: Query, rules: DateRules): Range {
  const { timeZone, nowMs, behaviour, limited } = rules
  const zone = behaviour.daysInUtc ? 'UTC' : timeZone
  const read = (name: string): string | undefined => {
    const text = readText(query, name)
    const day = text === undefined ? undefined : parseAmericanDay(text)
    if (text !== undefined && day === undefined)
      throw invalid(name, `${name} must be a date as MM/dd/yyyy`)
    return day
  }
  const from = read('startDate')
  const to = read('endDate') ?? dayOf(nowMs, zone)
  const first = from ?? addDays(to, 1 - MAX_DAYS)
  if (first > to) throw invalid('endDate', 'endDate is before startDate')
  const after = behaviour.endExclusive ? to : addDays(to, 1)
  if (limited && daysBetween(first, after) > MAX_DAYS) throw invalid('startDate', TOO_LONG)
  return { fromMs: dayStart(first, zone), toMs: dayStart(after, zone) }
}

/**
 * `startDate`, `endDate` as epoch milliseconds. `endDate` defaults to now (Limits, rule 4),
 * `startDate` to 7 days before it.
 */
export function readMilliseconds(query: Query, rules: DateRules): Range {
  const { nowMs, behaviour, limited } = rules
  const toMs = readWhole(query, 'endDate', 0) ?? nowMs
  const fromMs = readWhole(query, 'startDate', 0) ?? toMs - MAX_DAYS * DAY_MS
  if (fromMs > toMs) throw invalid('endDate', 'endDate is before startDate')
  if (limited && toMs - fromMs > MAX_DAYS * DAY_MS) throw invalid('startDate', TOO_LONG)
  return { fromMs, toMs: behaviour.endExclusive ? toMs : toMs + 1 }
}

/** A number such as a latitude. */
export function readDecimal(query: Query, name: string): number | undefined {
  const text = readText(query, name)
  if (text === undefined) return undefined
  if (text.trim() === '' || !Number.isFinite(Number(text)))
    throw invalid(name, `${name} must be a number`)
  return Number(text)
}

/** `tags=a&tags=b`, and `tags=a,b`. */
export function readTexts(query: Query, name: string): string[] {
  const value = query[name]
  return (Array.isArray(value) ? value : [value ?? ''])
    .flatMap(text => text.split(','))
    .filter(text => text !== '')
}

export const readFlag = (query: Query, name: string): boolean => readText(query, name) === 'true'
