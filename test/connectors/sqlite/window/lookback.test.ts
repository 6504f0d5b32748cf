import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../../../calendar/days.ts'
import { lookbackMs, lookbackOf } from '../../../../connectors/destination/lookback.ts'
import { createLedger } from '../../../../connectors/sql/ledger.ts'
import { kyselyOn } from '../../../../connectors/sqlite/connection/query-builder.ts'
import { text, timestamp } from '../../../../connectors/stream.ts'
import { salesStream } from '../sales-stream.ts'
import { openDatabase } from '../window-database.ts'

const NOW = Date.parse('2026-03-10T00:00:00.000Z')
const sales = salesStream({ ...text('id', 'name'), ...timestamp('modified') })

describe('the lookback', () => {
  it('is the declared one where nothing came late, grows with what did, and is never beyond 60 days', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 20 }),
        fc.array(
          fc.record({
            daysAgo: fc.integer({ min: 0, max: 200 }),
            late: fc.integer({ min: 0, max: 100 }),
          }),
        ),
        (floor, all) => {
          const chosen = lookbackMs(
            floor * DAY_MS,
            all.map(({ daysAgo, late }) => ({
              day: new Date(NOW - daysAgo * DAY_MS).toISOString().slice(0, 10),
              maxMs: late * DAY_MS,
            })),
            NOW,
          )
          const latest = Math.max(
            0,
            ...all.filter(({ daysAgo }) => daysAgo <= 90).map(({ late }) => late),
          )
          expect(chosen).toBe(Math.max(floor, Math.min(latest * 1.5, 60)) * DAY_MS)
          if (latest <= 60) expect(chosen).toBeGreaterThanOrEqual(latest * DAY_MS)
        },
      ),
    )
  })
})

describe('lateness', () => {
  const first = {
    window: { start: '2026-03-01T00:00:00.000Z', end: '2026-03-07T00:00:00.000Z' },
    readAt: '2026-03-07T00:00:00.000Z',
  }
  const again = { ...first, readAt: '2026-03-09T00:00:00.000Z' }
  const at = (id: string, iso: string, name = 'x'): string =>
    JSON.stringify({ id, modified: Date.parse(iso), name })
  const late = 'SELECT day, max_ms AS maxMs, records FROM lateness'

  it('is measured of what arrives or changes in a time that was proven, and lengthens the lookback', async () => {
    const { load, all, connection } = await openDatabase([sales])
    load(sales, [[at('a', '2026-03-03T00:00:00.000Z')]], first)
    expect(all(late)).toEqual([])
    load(sales, [[at('a', '2026-03-05T00:00:00.000Z'), at('b', '2026-03-04T12:00:00.000Z')]], again)
    expect(all(late)).toEqual([{ day: '2026-03-09', maxMs: 4.5 * DAY_MS, records: 2 }])
    const { lateness } = createLedger(kyselyOn(connection))
    const lookback = async (store: string): Promise<number> =>
      lookbackOf(sales, await lateness(store, sales.name), NOW)
    expect(await lookback('downtown')).toBe(6.75 * DAY_MS)
    expect(await lookback('uptown')).toBe(DAY_MS)
  })

  it('is not measured of repeats, of edits that keep their time, or where nothing was proven before', async () => {
    const { load, all } = await openDatabase([sales])
    load(sales, [[at('a', '2026-03-03T00:00:00.000Z')]], { ...first, status: 'unproven' })
    load(sales, [[at('a', '2026-03-03T00:00:00.000Z'), at('b', '2026-03-03T00:00:00.000Z')]], again)
    load(
      sales,
      [[at('a', '2026-03-03T00:00:00.000Z'), at('b', '2026-03-03T00:00:00.000Z', 'renamed')]],
      again,
    )
    load(sales, [[at('c', '2026-03-20T00:00:00.000Z')]], {
      window: { start: '2026-03-20T00:00:00.000Z', end: '2026-03-21T00:00:00.000Z' },
      readAt: '2026-03-21T00:00:00.000Z',
    })
    expect(all(late)).toEqual([])
  })

  it('is measured of rows that a neighbouring window brings, too', async () => {
    const { load, all } = await openDatabase([sales])
    load(sales, [[at('a', '2026-03-03T00:00:00.000Z')]], first)
    load(sales, [[at('b', '2026-03-06T12:00:00.000Z')]], {
      window: { start: '2026-03-07T00:00:00.000Z', end: '2026-03-09T00:00:00.000Z' },
      readAt: '2026-03-09T00:00:00.000Z',
    })
    expect(all(late)).toEqual([{ day: '2026-03-09', maxMs: 2.5 * DAY_MS, records: 1 }])
  })
})
