import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { joinPages, judge } from '../../reading/prove.ts'
import type { Pass, PassFacts, Verdict } from '../../reading/prove.ts'
import { sized } from '../helpers/size.ts'
import { orders, play, stableOrders } from './moving-list.ts'
import type { Order, Schedule } from './moving-list.ts'

/** Enough for each commit; a release tries more. */
const SCHEDULES = Number(process.env['TILLAGE_SCHEDULES'] ?? sized(6_000, 1_000_000))

/** How many schedules of each order are looked at for what is blamed. */
const BLAMED_OF = sized(750, 1500)

const scheduleOf = (order: Order): fc.Arbitrary<Schedule> =>
  fc
    .record({
      seed: fc.integer({ min: 0, max: 2 ** 31 }),
      rows: fc.integer({ min: 0, max: 30 }),
      cap: fc.integer({ min: 2, max: 6 }),
      concurrency: fc.integer({ min: 1, max: 5 }),
      total: fc.boolean(),
      busy: fc.constantFrom(0, 0.05, 0.15, 0.4, 1),
      mix: fc.constantFrom(
        { inserts: 0.34, edits: 0.33 },
        { inserts: 0.1, edits: 0.8 },
        { inserts: 0.45, edits: 0.1 },
        { inserts: 0.5, edits: 0 },
      ),
      failures: fc.constantFrom(0, 0, 0, 0.1),
      randomIds: fc.boolean(),
    })
    .map(({ mix, ...rest }) => ({ ...rest, ...mix, order }))

/**
 * Plays schedules; fails with the smallest one that loses a row in a proven window. `seen` gets
 * every outcome.
 */
async function check(
  schedules: fc.Arbitrary<Schedule>,
  runs: number,
  judgeLike: (passes: readonly Pass[]) => Verdict,
  seen: (verdict: string, schedule: Schedule) => void = () => {},
): Promise<fc.RunDetails<[Schedule]>> {
  const property = fc.asyncProperty(schedules, async schedule => {
    const { verdict, passes, requests, most, lost } = await play(schedule, judgeLike)
    seen(verdict.status === 'proven' ? verdict.by : verdict.reason, schedule)
    if (verdict.status === 'proven') expect(lost, `proven by ${verdict.by}, and lost`).toEqual([])
    // Pages overlap by a row; looks at the tail, pages of a list that shrank and failed requests
    // come on top.
    const needed = most / (schedule.cap - 1) + 4
    expect(
      requests,
      `requests in ${passes.length} passes over at most ${most} rows`,
    ).toBeLessThanOrEqual(passes.length * needed * (schedule.failures > 0 ? 3 : 2))
  })
  return fc.check(property, { numRuns: runs })
}

describe('a proven window over a moving list', () => {
  it.each(orders)('lost no row that was there throughout: %s', async order => {
    const verdicts = new Map<string, number>()
    const details = await check(
      scheduleOf(order),
      Math.ceil(SCHEDULES / orders.length),
      judge,
      verdict => verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1),
    )
    expect(details.failed, fc.defaultReportMessage(details)).toBe(false)
    // A judge that accepts nothing would lose nothing either.
    for (const verdict of [
      'one pass, total and seams',
      'two passes and seams',
      'moving',
      ...(order === 'unsorted' ? ['two passes and total', 'three passes and seams'] : []),
    ]) {
      expect(verdicts.get(verdict), verdict).toBeGreaterThan(SCHEDULES / 1000)
    }
  })

  it.each(orders)(
    'is called moving where it cannot be proven, so that it is cut smaller, and never blames the server: %s',
    async order => {
      const blamed = new Map<string, number>()
      const details = await check(scheduleOf(order), BLAMED_OF, judge, (verdict, { total }) => {
        if (
          ['repeated_ids', 'empty_page', 'total_above_rows', 'outside_window'].includes(verdict) ||
          (verdict === 'offset_ignored' && total)
        )
          blamed.set(verdict, (blamed.get(verdict) ?? 0) + 1)
      })
      expect(details.failed, fc.defaultReportMessage(details)).toBe(false)
      // Two passes in a row may look alike by chance, where pages hold two rows: about one in 300.
      expect(
        [...blamed.values()].reduce((sum, count) => sum + count, 0),
        JSON.stringify([...blamed]),
      ).toBeLessThan(BLAMED_OF / 75)
    },
  )

  it.each(stableOrders)('is proven at once where nothing moves, with a total: %s', async order => {
    const calm = fc
      .tuple(scheduleOf(order), fc.boolean())
      .map(([schedule, total]) => ({ ...schedule, busy: 0, total }))
    const property = fc.asyncProperty(calm, async schedule => {
      const { verdict, passes } = await play(schedule, judge)
      expect(verdict).toEqual({
        status: 'proven',
        by: schedule.total ? 'one pass, total and seams' : 'two passes and seams',
        findings: schedule.total ? [] : ['total_missing'],
      })
      expect(passes.length).toBe(schedule.total ? 1 : 2)
    })
    await fc.assert(property, { numRuns: 100 })
  })

  it('is proven by two passes where nothing moves and no order shows, and by three without a total', async () => {
    const calm = scheduleOf('unsorted').map(schedule => ({
      ...schedule,
      busy: 0,
      rows: 12 + (schedule.rows % 10),
    }))
    const property = fc.asyncProperty(calm, async schedule => {
      const { verdict } = await play(schedule, judge)
      expect(verdict).toMatchObject({
        status: 'proven',
        by: schedule.total ? 'two passes and total' : 'three passes and seams',
      })
    })
    await fc.assert(property, { numRuns: 200 })
  })
})

/**
 * Judges with a rule taken away: each must be caught losing a row, or the test above would see
 * nothing.
 */
describe('a weaker proof over the same lists', () => {
  const byOnePass =
    (rule: (facts: PassFacts, pass: Pass) => boolean) =>
    (passes: readonly Pass[]): Verdict => {
      const last = passes.at(-1)!
      const facts = joinPages(last)
      if (last.trouble === undefined && rule(facts, last))
        return { status: 'proven', by: 'one pass, total and seams', findings: [] }
      return passes.length < 3
        ? { status: 'again' }
        : { status: 'unproven', reason: 'moving', findings: [] }
    }
  const exact = (facts: PassFacts): boolean =>
    facts.totals.size === 1 && facts.totals.has(facts.byId.size)
  const lastTotal = ({ pages }: Pass): number | null => pages.at(-1)!.total
  const loses = async (
    schedules: fc.Arbitrary<Schedule>,
    judgeLike: (passes: readonly Pass[]) => Verdict,
    runs = 300_000,
  ): Promise<void> => {
    const details = await check(schedules, runs, judgeLike)
    expect(details.failed).toBe(true)
    expect(String(details.errorInstance)).toContain('and lost')
  }
  const withTotal = (order: Order): fc.Arbitrary<Schedule> =>
    scheduleOf(order).map(schedule => ({ ...schedule, total: true }))

  it('loses rows if the end of the list is enough', () =>
    loses(
      scheduleOf('modified descending'),
      byOnePass(facts => facts.whole),
    ))

  it('loses rows if as many distinct ids as the last total are enough', () =>
    loses(
      withTotal('modified ascending'),
      byOnePass((facts, pass) => facts.whole && facts.byId.size === lastTotal(pass)),
    ))

  it('loses rows if the total stands still and is met, but seams are not looked at', () =>
    loses(
      withTotal('modified ascending'),
      byOnePass(facts => facts.whole && exact(facts)),
    ))

  it('loses rows if seams hold, but the total is not looked at', () =>
    loses(
      scheduleOf('modified descending'),
      byOnePass(facts => facts.whole && facts.seams && facts.order !== undefined),
    ))

  it('loses rows if two passes agree on ids alone', () =>
    loses(scheduleOf('modified descending'), passes => {
      const [before, last] = passes.slice(-2).map(joinPages)
      const agree =
        before?.whole === true &&
        last?.whole === true &&
        before.byId.size === last.byId.size &&
        [...before.byId.keys()].every(id => last.byId.has(id))
      if (agree) return { status: 'proven', by: 'two passes and total', findings: [] }
      return passes.length < 5
        ? { status: 'again' }
        : { status: 'unproven', reason: 'moving', findings: [] }
    }))
})
