import { instantsAt } from '../calendar/clock.ts'
import { DAY_MS, isDay, MINUTE_MS, toIso } from '../calendar/days.ts'

/** Between which instants a count can lie, and where its clock hangs. */
export interface CountSpan {
  timeZone: string
  snapshotMs: number
  nowMs: number
}

type TimeRead = { ms: number } | { code: string; message: string }

/** What a clock on the wall showed. */
interface WallTime {
  day: string
  /** `HH:mm` */
  clock: string
  seconds: number
}

/** Clocks of different machines do not show the same second. */
const CLOCKS_APART_MS = 5_000
const LIKE = 'write it like 2026-03-08 22:41 or 3/8/2026 10:41 PM'

/**
 * When something was counted: with an offset, or as a spreadsheet writes it, on the clocks of the
 * store. Of two readings the one counts that lies after the snapshot and not in the future; where
 * both do, that is said. Pure.
 */
export function readCountTime(text: string, span: CountSpan): TimeRead {
  if (text === '') return problem('MISSING', `when was it counted? ${LIKE}`)
  const readings = readingsOf(text, span.timeZone)
  if (readings === undefined) return unreadable(text)
  if (readings.length === 0)
    return problem('INVALID', `${text} was on no clock of ${span.timeZone}: they were set forward`)
  const possible = readings.filter(ms => whenWrong(ms, span) === undefined)
  if (possible.length === 1) return { ms: Math.max(possible[0]!, span.snapshotMs) }
  if (possible.length > 1) {
    const both = possible.map(toIso).join(' or ')
    return problem('AMBIGUOUS', `${text} can be ${both}; write it like 2026-03-08T22:41:00-07:00`)
  }
  const wrong = whenWrong(readings[0]!, span)!
  const shown = toIso(readings[0]!) === text ? text : `${text} (${toIso(readings[0]!)})`
  return { code: wrong.code, message: `${shown} ${wrong.message}` }
}

const problem = (code: string, message: string): { code: string; message: string } => ({
  code: `COUNTED_AT_${code}`,
  message,
})

function unreadable(text: string): { code: string; message: string } {
  if (/^\d{5}$|^\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4}$/.test(text))
    return problem('INVALID', `${text} is a day without a time; ${LIKE}`)
  return problem('INVALID', `${text} is not a time; ${LIKE}`)
}

/** Not before the snapshot, not in the future. */
function whenWrong(
  ms: number,
  { snapshotMs, nowMs }: CountSpan,
): { code: string; message: string } | undefined {
  // Clocks on the wall show minutes: a count in the snapshot's own minute is not before it.
  if (ms < Math.floor(snapshotMs / MINUTE_MS) * MINUTE_MS)
    return { code: 'COUNTED_BEFORE', message: 'is before the snapshot was taken' }
  if (ms > nowMs + CLOCKS_APART_MS)
    return { code: 'COUNTED_IN_FUTURE', message: 'is in the future' }
  return undefined
}

const WITH_OFFSET =
  /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/

/** Every instant that a text can mean; undefined: it is no time. */
function readingsOf(text: string, timeZone: string): number[] | undefined {
  const day = WITH_OFFSET.exec(text)?.[1]
  if (day !== undefined) {
    const ms = Date.parse(text)
    return isDay(day) && !Number.isNaN(ms) ? [ms] : undefined
  }
  const walls = wallTimesOf(text)
  if (walls.length === 0) return undefined
  const instants = walls.flatMap(({ day, clock, seconds }) =>
    instantsAt(day, clock, timeZone).map(ms => ms + seconds * 1000),
  )
  return [...new Set(instants)]
}

const wallTimesOf = (text: string): WallTime[] =>
  [...isoTimes(text), ...slashTimes(text), ...serialTimes(text)].filter(
    ({ day, clock, seconds }) =>
      isDay(day) && /^([01]\d|2[0-3]):[0-5]\d$/.test(clock) && seconds < 60,
  )

/** `2026-11-23 16:05`, with a `T` or without. */
function isoTimes(text: string): WallTime[] {
  const parts = /^(\d{4}-\d{2}-\d{2})[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?$/.exec(text)
  if (parts === null) return []
  const [, day, hour, minute, seconds = '0'] = parts
  return [{ day: day!, clock: `${twoDigits(hour)}:${minute}`, seconds: Number(seconds) }]
}

const SLASHED =
  /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2}),? +(\d{1,2}):(\d{2})(?::(\d{2}))?(?: *([ap])\.?m\.?)?$/i

/** `11/23/2026 4:05 PM`: the month first or the day first; with dots the day is first. */
function slashTimes(text: string): WallTime[] {
  const parts = SLASHED.exec(text)
  if (parts === null) return []
  const [, one, mark, other, year, hour, minute, seconds = '0', half] = parts
  const clock = `${hourOf(Number(hour), half?.toLowerCase())}:${minute}`
  const fullYear = year!.length === 2 ? `20${year}` : year
  const at = (month?: string, day?: string): WallTime => ({
    day: `${fullYear}-${twoDigits(month)}-${twoDigits(day)}`,
    clock,
    seconds: Number(seconds),
  })
  return mark === '.' ? [at(other, one)] : [at(one, other), at(other, one)]
}

/** `4 p` is 16; without a half of the day, hours are those of 24; no hour where it is none. */
function hourOf(hour: number, half: string | undefined): string {
  if (half === undefined) return twoDigits(String(hour))
  if (hour < 1 || hour > 12) return '99'
  return twoDigits(String((hour % 12) + (half === 'p' ? 12 : 0)))
}

const EPOCH_OF_EXCEL_MS = Date.UTC(1899, 11, 30)

/** `46349.6701`: days since the epoch of Excel, as a spreadsheet saves a date into a CSV file. */
function serialTimes(text: string): WallTime[] {
  if (!/^\d{5}[.,]\d+$/.test(text)) return []
  const days = Number(text.replace(',', '.'))
  const wall = toIso(EPOCH_OF_EXCEL_MS + Math.round((days * DAY_MS) / 1000) * 1000)
  return [
    { day: wall.slice(0, 10), clock: wall.slice(11, 16), seconds: Number(wall.slice(17, 19)) },
  ]
}

const twoDigits = (text = ''): string => text.padStart(2, '0')
