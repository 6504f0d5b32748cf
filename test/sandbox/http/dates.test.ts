import { describe, expect, it } from 'vitest'
import { dayStart } from '../../../sandbox/values/calendar.ts'
import type { Page, Row } from '../asking.ts'
import { ask, askJson, everything, idsOf, sandboxWith, truth } from '../asking.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const modifiedIn = (rows: readonly Row[], fromMs: number, toMs: number): string[] =>
  idsOf(rows.filter(row => row.modified >= fromMs && row.modified < toMs)).sort()

/**
 * Midnights as the zone's own rules have them: 8 March 2026 is when the clocks go forward in the
 * USA.
 */
const MIDNIGHTS = {
  'America/Los_Angeles': {
    '2026-03-07': '2026-03-07T08:00:00Z',
    '2026-03-08': '2026-03-08T08:00:00Z',
    '2026-03-09': '2026-03-09T07:00:00Z',
  },
  'America/New_York': {
    '2026-03-07': '2026-03-07T05:00:00Z',
    '2026-03-08': '2026-03-08T05:00:00Z',
    '2026-03-09': '2026-03-09T04:00:00Z',
  },
} as const

describe('MM/dd/yyyy', () => {
  it('means days of the store, the last one included, also when the day has 23 hours', async () => {
    const sandbox = await sandboxWith()
    for (const [store, zone] of (['America/Los_Angeles', 'America/New_York'] as const).entries()) {
      const all = await truth(sandbox, 'transactions', '', store)
      const midnights = MIDNIGHTS[zone]
      const fromMs = Date.parse(midnights['2026-03-08'])
      const toMs = Date.parse(midnights['2026-03-09'])
      expect(toMs - fromMs).toBe(23 * HOUR_MS)
      const answered = await everything(
        sandbox,
        '/transactions?startDate=03/08/2026&endDate=03/08/2026',
        store,
      )
      expect(answered.length).toBeGreaterThan(20)
      expect(idsOf(answered).sort()).toEqual(modifiedIn(all, fromMs, toMs))
      const both = await everything(
        sandbox,
        '/transactions?startDate=03/07/2026&endDate=03/08/2026',
        store,
      )
      expect(idsOf(both).sort()).toEqual(modifiedIn(all, Date.parse(midnights['2026-03-07']), toMs))
    }
  })

  it('has 25 hours where the clocks go back, and in zones with half hours it has their midnight', () => {
    expect(
      dayStart('2026-11-02', 'America/Los_Angeles') - dayStart('2026-11-01', 'America/Los_Angeles'),
    ).toBe(25 * HOUR_MS)
    expect(dayStart('2026-10-26', 'Europe/Berlin') - dayStart('2026-10-25', 'Europe/Berlin')).toBe(
      25 * HOUR_MS,
    )
    expect(
      dayStart('2026-04-06', 'Australia/Sydney') - dayStart('2026-04-05', 'Australia/Sydney'),
    ).toBe(25 * HOUR_MS)
    expect(new Date(dayStart('2026-03-08', 'Asia/Kolkata')).toISOString()).toBe(
      '2026-03-07T18:30:00.000Z',
    )
  })

  it('leaves out the last day under the profile end-exclusive', async () => {
    const sandbox = await sandboxWith({ profiles: ['end-exclusive'] })
    const all = await truth(sandbox, 'transactions')
    const answered = await everything(
      sandbox,
      '/transactions?startDate=03/07/2026&endDate=03/09/2026',
    )
    const midnights = MIDNIGHTS['America/Los_Angeles']
    expect(idsOf(answered).sort()).toEqual(
      modifiedIn(all, Date.parse(midnights['2026-03-07']), Date.parse(midnights['2026-03-09'])),
    )
    const some = (await truth(sandbox, 'members'))[5]!
    expect(
      (
        await askJson<Page>(
          sandbox,
          `/members?startDate=${some.modified - 1}&endDate=${some.modified}`,
        )
      ).values,
    ).toEqual([])
  })

  it('means days in UTC under the profile days-utc', async () => {
    const sandbox = await sandboxWith({ profiles: ['days-utc'] })
    const all = await truth(sandbox, 'transactions')
    const answered = await everything(
      sandbox,
      '/transactions?startDate=03/08/2026&endDate=03/08/2026',
    )
    expect(idsOf(answered).sort()).toEqual(
      modifiedIn(all, Date.parse('2026-03-08T00:00:00Z'), Date.parse('2026-03-09T00:00:00Z')),
    )
  })
})

describe('epoch milliseconds', () => {
  it('are inclusive at both ends', async () => {
    const sandbox = await sandboxWith()
    for (const [path, stream] of [
      ['/members', 'members'],
      ['/store/batches/dates', 'batches'],
    ] as const) {
      const all = await truth(sandbox, stream)
      const [first, last] = [all[10]!, all[40]!]
      const answered = await everything(
        sandbox,
        `${path}?startDate=${first.modified}&endDate=${last.modified}`,
      )
      expect(idsOf(answered).sort()).toEqual(idsOf(all.slice(10, 41)).sort())
    }
  })

  it('of batches end now when endDate is left out', async () => {
    const sandbox = await sandboxWith()
    const endMs = dayStart('2026-03-15', 'America/Los_Angeles')
    const answered = await everything(sandbox, `/store/batches/dates?startDate=${endMs - DAY_MS}`)
    expect(idsOf(answered).sort()).toEqual(
      modifiedIn(await truth(sandbox, 'batches'), endMs - DAY_MS, endMs + DAY_MS),
    )
  })
})

describe('the limit of 7 days', () => {
  const end = Date.parse('2026-03-14T00:00:00Z')
  it.each([
    ['/transactions?startDate=03/01/2026&endDate=03/07/2026', 200],
    ['/transactions?startDate=03/01/2026&endDate=03/08/2026', 400],
    ['/transactions?startDate=03/05/2026&endDate=03/11/2026', 200],
    ['/transactions?days=7', 200],
    ['/transactions?days=8', 400],
    ['/transactions', 200],
    ['/purchaseorders/dates?startDate=03/01/2026&endDate=03/07/2026', 200],
    ['/purchaseorders/dates?startDate=03/01/2026&endDate=03/09/2026', 400],
    [`/members?startDate=${end - 7 * DAY_MS}&endDate=${end}`, 200],
    [`/members?startDate=${end - 7 * DAY_MS - 1}&endDate=${end}`, 400],
    [`/store/batches/dates?startDate=${end - 7 * DAY_MS}&endDate=${end}`, 200],
    [`/store/batches/dates?startDate=${end - 8 * DAY_MS}&endDate=${end}`, 400],
    ['/vendors?startDate=01/01/2026&endDate=03/14/2026', 200],
    ['/vendors', 200],
    [`/products/modified?startDate=${end - 30 * DAY_MS}&endDate=${end}`, 200],
    [`/store/inventory/products/dates?startDate=${end - 30 * DAY_MS}&endDate=${end}`, 200],
  ])('%s answers %i', async (path, status) => {
    const answer = await ask(await sandboxWith({ transactionsPerDay: 5, stores: 1 }), path)
    expect(answer.status).toBe(status)
    if (status === 400)
      expect(JSON.parse(answer.text)).toMatchObject({ message: 'Date range cannot exceed 7 days' })
  })

  it('without dates means the last 7 days', async () => {
    const sandbox = await sandboxWith()
    expect(idsOf(await everything(sandbox, '/transactions')).sort()).toEqual(
      modifiedIn(
        await truth(sandbox, 'transactions'),
        dayStart('2026-03-09', 'America/Los_Angeles'),
        Infinity,
      ),
    )
  })
})

it('opens the store in the hours of its own zone, with a few sales late at night', async () => {
  const sandbox = await sandboxWith({ stores: 5, transactionsPerDay: 80 })
  for (const [store, { timeZone }] of sandbox.stores.entries()) {
    const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', timeZone })
    const hours = (await truth(sandbox, 'transactions', '&full=1', store)).map(row =>
      Number(clock.format(row['created'] as number)),
    )
    const share = (test: (hour: number) => boolean): number =>
      hours.filter(test).length / hours.length
    expect(share(hour => hour >= 2 && hour < 8)).toBe(0)
    expect(share(hour => hour >= 9 && hour < 22)).toBeGreaterThan(0.9)
    expect(share(hour => hour < 2)).toBeGreaterThan(0.005)
  }
})
