import { DAY_MS } from '../../calendar/days.ts'

/**
 * The numbers of a list in order of `modified` (ties by number), as two typed arrays: 12 bytes a
 * record, the n-th of a range is one look-up, and moving a record is one memory move, cheap at the
 * recent end where edits land.
 */
export class ModifiedOrder {
  length: number
  private numbers: Uint32Array<ArrayBuffer>
  private times: Float64Array

  constructor(count: number, modifiedOf: (number: number) => number) {
    this.length = count
    const room = count + 1024
    this.numbers = new Uint32Array(room)
    this.times = new Float64Array(room)
    const modified = new Float64Array(count)
    let earliest = Infinity
    let latest = -Infinity
    for (let number = 0; number < count; number++) {
      const ms = modifiedOf(number)
      modified[number] = ms
      if (ms < earliest) earliest = ms
      if (ms > latest) latest = ms
    }
    if (count > 0) this.sort(modified, earliest, latest)
  }

  /**
   * Day by day: inside a day, milliseconds and number fit one double, so the engine's own numeric
   * sort does the rest.
   */
  private sort(modified: Float64Array, earliest: number, latest: number): void {
    const days = Math.floor((latest - earliest) / DAY_MS) + 1
    const ends = new Uint32Array(days + 1)
    const dayOf = (ms: number): number => Math.floor((ms - earliest) / DAY_MS)
    for (const ms of modified) ends[dayOf(ms) + 1]!++
    for (let day = 0; day < days; day++) ends[day + 1]! += ends[day]!
    const next = ends.slice()
    const keys = new Float64Array(modified.length)
    const scale = 2 ** 25
    for (let number = 0; number < modified.length; number++) {
      const day = dayOf(modified[number]!)
      keys[next[day]!++] = (modified[number]! - earliest - day * DAY_MS) * scale + number
    }
    for (let day = 0; day < days; day++) {
      const first = ends[day]!
      const last = ends[day + 1]!
      keys.subarray(first, last).sort()
      for (let at = first; at < last; at++) {
        const number = keys[at]! % scale
        this.numbers[at] = number
        this.times[at] = modified[number]!
      }
    }
  }

  numberAt(rank: number): number {
    return this.numbers[rank]!
  }

  modifiedAt(rank: number): number {
    return this.times[rank]!
  }

  /** How many records were modified before `ms`: the rank of the first that was not. */
  rankOf(ms: number): number {
    let low = 0
    let high = this.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.times[middle]! < ms) low = middle + 1
      else high = middle
    }
    return low
  }

  /** A copy of the numbers of [low, high), to be put into another order. */
  slice(low: number, high: number): Uint32Array<ArrayBuffer> {
    return this.numbers.slice(low, high)
  }

  insert(number: number, modified: number): void {
    if (this.length === this.numbers.length) this.grow()
    const rank = this.place(number, modified)
    this.numbers.copyWithin(rank + 1, rank, this.length)
    this.times.copyWithin(rank + 1, rank, this.length)
    this.numbers[rank] = number
    this.times[rank] = modified
    this.length++
  }

  remove(number: number, modified: number): void {
    const rank = this.place(number, modified)
    if (this.numbers[rank] !== number || rank >= this.length)
      throw new Error(`sandbox: record ${number} is not where its modified says`)
    this.numbers.copyWithin(rank, rank + 1, this.length)
    this.times.copyWithin(rank, rank + 1, this.length)
    this.length--
  }

  private place(number: number, modified: number): number {
    let rank = this.rankOf(modified)
    let high = this.length
    while (rank < high) {
      const middle = (rank + high) >>> 1
      if (modified === this.times[middle] && this.numbers[middle]! < number) rank = middle + 1
      else high = middle
    }
    return rank
  }

  private grow(): void {
    const numbers = new Uint32Array(this.numbers.length * 2)
    const times = new Float64Array(this.times.length * 2)
    numbers.set(this.numbers)
    times.set(this.times)
    this.numbers = numbers
    this.times = times
  }
}
