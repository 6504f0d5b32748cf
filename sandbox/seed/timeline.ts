import { addDays, DAY_MS } from '../../calendar/days.ts'
import { clockChange, dayStart } from '../values/calendar.ts'
import type { Dice } from '../values/random.ts'
import { fraction } from '../values/random.ts'

/**
 * How busy each hour of a store's day is; a few sales happen after midnight, as where the till
 * closes late.
 */
const HOURS = [
  10, 4, 0, 0, 0, 0, 0, 0, 6, 40, 52, 60, 74, 66, 58, 62, 78, 104, 112, 98, 80, 56, 24, 10,
]
/**
 * Sunday to Saturday, 7 in all, so that the wished number of transactions a day is the mean of a
 * week.
 */
const WEEKDAYS = [0.92, 0.8, 0.84, 0.9, 1.0, 1.32, 1.22]
const EDITED_SHARE = 0.05

/**
 * When things happen in one store: the n-th transaction has a place on the calendar without any of
 * the others being known. Days are the store's own, so days of 23 and 25 hours are what they are.
 */
export class Timeline {
  readonly days: number
  readonly startMs: number
  readonly endMs: number
  readonly count: number
  private readonly starts: Float64Array
  private readonly firsts: Uint32Array
  private readonly changes = new Map<number, { atMs: number; byMs: number }>()

  constructor(timeZone: string, untilDay: string, days: number, perDay: number) {
    this.days = days
    this.count = days * perDay
    this.starts = new Float64Array(days + 1)
    this.firsts = new Uint32Array(days + 1)
    const firstDay = addDays(untilDay, -days)
    const weights: number[] = []
    for (let day = 0; day <= days; day++) {
      const name = addDays(firstDay, day)
      this.starts[day] = dayStart(name, timeZone)
      weights.push(WEEKDAYS[new Date(`${name}T00:00:00Z`).getUTCDay()]!)
      if (day === 0) continue
      const change = clockChange(this.starts[day - 1]!, this.starts[day]!, timeZone)
      if (change !== undefined) this.changes.set(day - 1, change)
    }
    const whole = weights.slice(0, days).reduce((sum, weight) => sum + weight, 0)
    let sum = 0
    for (let day = 0; day < days; day++) {
      sum += weights[day]!
      this.firsts[day + 1] = Math.round((sum / whole) * this.count)
    }
    this.startMs = this.starts[0]!
    this.endMs = this.starts[days]!
  }

  /** When transaction `number` was begun; `bits` is its own chance. Grows with the number. */
  createdAt(number: number, bits: number): number {
    const day = this.dayOf(number)
    const first = this.firsts[day]!
    return this.instant(
      day,
      wallClock((number - first + fraction(bits)) / (this.firsts[day + 1]! - first)),
      bits & 1,
    )
  }

  /** Some moment during business hours of the seeded days, not before `fromMs`. */
  momentAfter(fromMs: number, dice: Dice): number {
    for (let tries = 0; tries < 64; tries++) {
      const ms = this.instant(dice.below(this.days), wallClock(fraction(dice.bits())), 0)
      if (ms >= fromMs) return ms
    }
    return Math.min(fromMs + 1 + dice.below(60_000), this.endMs - 1)
  }

  /**
   * When something completed at `completedMs` was last touched: mostly at once, one in twenty hours
   * or days later.
   */
  modifiedAfter(completedMs: number, bits: number): number {
    const soon = Math.min(completedMs + 400 + (bits & 0x7fff), this.endMs - 1)
    if (fraction(bits) >= EDITED_SHARE) return soon
    const spread = fraction(bits) / EDITED_SHARE
    const later =
      completedMs + 3_600_000 + Math.floor(spread * spread * 9 * DAY_MS) + (bits & 0xfff)
    return later < this.endMs ? later : soon
  }

  private dayOf(number: number): number {
    let low = 0
    let high = this.days
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (this.firsts[middle]! <= number) low = middle
      else high = middle
    }
    return low
  }

  /**
   * Wall clock to instant. Where the clocks go back an hour happens twice: `second` tells which
   * one.
   */
  private instant(day: number, wallMs: number, second: number): number {
    const ms = this.starts[day]! + wallMs
    const change = this.changes.get(day)
    if (change === undefined) return ms
    if (ms >= change.atMs) return ms - change.byMs
    return change.byMs < 0 && second === 1 && ms - change.byMs >= change.atMs
      ? ms - change.byMs
      : ms
  }
}

/**
 * Hours passed through as a running sum, so that a share of the day's sales can be turned into a
 * time of day.
 */
const passed = HOURS.reduce<number[]>((sums, weight) => [...sums, sums.at(-1)! + weight], [0])

function wallClock(shareOfDay: number): number {
  const wanted = shareOfDay * passed[24]!
  let hour = 0
  while (hour < 23 && passed[hour + 1]! <= wanted) hour++
  return Math.floor((hour + (wanted - passed[hour]!) / HOURS[hour]!) * 3_600_000)
}
