import fc from 'fast-check'
import { zones } from './server-readings.ts'

const FIRST_MS = Date.UTC(2015, 0, 1)
const LAST_MS = Date.UTC(2036, 0, 1)

export const zone = fc.constantFrom(...zones)
export const instant = fc.integer({ min: FIRST_MS, max: LAST_MS - 1 })
/** Days on which clocks change somewhere, and leap days, beside any day at all. */
export const day = fc.oneof(
  instant.map(ms => new Date(ms).toISOString().slice(0, 10)),
  fc
    .tuple(
      fc.integer({ min: 2015, max: 2035 }),
      fc.constantFrom(
        '02-28',
        '03-01',
        '03-08',
        '03-29',
        '04-05',
        '04-24',
        '09-06',
        '10-04',
        '10-25',
        '11-01',
        '12-31',
      ),
    )
    .map(([year, date]) => `${year}-${date}`),
  fc.constantFrom('2016-02-29', '2020-02-29', '2024-02-29', '2028-02-29'),
)
