import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readPass, startPass } from '../../reading/paginate.ts'
import { judge } from '../../reading/prove.ts'
import type { Pass, SeenPage } from '../../reading/prove.ts'
import { sized } from '../helpers/size.ts'
import { ticketsOf } from './list-server.ts'
import { createRandom } from './moving-list.ts'

describe('any lies about a list that stands still', () => {
  interface Lies {
    seed: number
    rows: number
    cap: number
    concurrency: number
    repeats: boolean
    /** How often a page is short, and how often it is empty. */
    short: number
    empty: number
    total: 'right' | 'none' | 'low' | 'high' | 'moving' | 'sometimes'
  }
  const list = {
    seed: fc.integer({ min: 0, max: 2 ** 31 }),
    rows: fc.integer({ min: 0, max: 30 }),
    concurrency: fc.integer({ min: 1, max: 4 }),
    repeats: fc.boolean(),
  }
  const aboutPages = fc.record<Lies>({
    ...list,
    cap: fc.integer({ min: 1, max: 6 }),
    short: fc.constantFrom(0, 0.3, 1),
    empty: fc.constantFrom(0, 0.1),
    total: fc.constant('right'),
  })
  const aboutTotals = fc.record<Lies>({
    ...list,
    cap: fc.integer({ min: 1, max: 6 }),
    short: fc.constant(0),
    empty: fc.constant(0),
    total: fc.constantFrom('none', 'low', 'high', 'moving', 'sometimes'),
  })
  const aboutBoth = fc
    .tuple(aboutPages, aboutTotals)
    .map(([pages, { total }]) => ({ ...pages, total }))

  async function lie({
    seed,
    rows,
    cap,
    concurrency,
    repeats,
    short,
    empty,
    total,
  }: Lies): Promise<{ status: string; lost: string[]; requests: number }> {
    const { share, int } = createRandom(seed)
    const list = ticketsOf(rows).map(({ id, modified }) => ({
      id,
      modified,
      created: null,
      inside: true,
    }))
    if (repeats && rows > 2) list.splice(int(1, rows - 1), 0, list[int(0, rows - 1)]!)
    const low = int(0, list.length)
    const high = list.length + int(1, 9)
    const totals = {
      right: () => list.length,
      none: () => null,
      low: () => low,
      high: () => high,
      moving: () => int(0, list.length + 3),
      sometimes: () => (share() < 0.5 ? list.length : null),
    }
    let requests = 0
    const ask = (offset: number): Promise<SeenPage> => {
      requests++
      const size = share() < short ? int(1, cap) : cap
      return Promise.resolve({
        offset,
        rows: share() < empty && offset > 0 ? [] : list.slice(offset, offset + size),
        total: totals[total](),
      })
    }
    const passes: Pass[] = []
    for (;;) {
      passes.push(await readPass(startPass(), ask, { concurrency, limit: cap }))
      const verdict = judge(passes)
      if (verdict.status === 'again') continue
      const seen = new Set(passes.at(-1)!.pages.flatMap(page => page.rows.map(row => row.id)))
      return {
        status: verdict.status,
        lost:
          verdict.status === 'proven' ? list.map(row => row.id).filter(id => !seen.has(id)) : [],
        requests,
      }
    }
  }

  it.each([
    ['pages', aboutPages],
    ['totals', aboutTotals],
  ] as const)(
    'about %s lose no row in a proven window, and take a bounded number of requests',
    async (_, lies) => {
      let proven = 0
      const property = fc.asyncProperty(lies, async lies => {
        const { status, lost, requests } = await lie(lies)
        if (status === 'proven') proven++
        expect(lost).toEqual([])
        expect(requests).toBeLessThan(5 * (3 * lies.rows + 30))
      })
      await fc.assert(property, { numRuns: sized(5000, 250_000) })
      expect(proven).toBeGreaterThan(sized(1500, 75_000))
    },
  )

  it('about pages and totals at once can agree on a loss, which no evidence from outside tells', async () => {
    const property = fc.asyncProperty(aboutBoth, async lies => (await lie(lies)).lost.length === 0)
    expect((await fc.check(property, { numRuns: 20_000 })).failed).toBe(true)
  })
})
