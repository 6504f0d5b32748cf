import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../../../calendar/days.ts'
import type { Interval } from '../../../../calendar/days.ts'
import {
  coverage,
  recordWindow,
  toRead,
  watermarkOf,
} from '../../../../connectors/destination/coverage.ts'
import type { LedgerRow } from '../../../../connectors/destination/coverage.ts'
import type { WindowToCommit } from '../../../../connectors/destination/windows.ts'
import { createLedgerTable } from '../../../../connectors/sql/window/ledger-table.ts'
import { stepsOn } from '../../../../connectors/sqlite/connection/sql-connection.ts'
import { defineStream, text, timestamp } from '../../../../connectors/stream.ts'
import { openDatabase } from '../window-database.ts'

const LAST = 40
const interval = fc
  .tuple(fc.integer({ min: 0, max: LAST - 1 }), fc.integer({ min: 1, max: 15 }))
  .map(([startMs, length]) => ({ startMs, endMs: Math.min(startMs + length, LAST) }))
const reads = fc.array(
  fc.record({ window: interval, status: fc.constantFrom('proven' as const, 'unproven' as const) }),
  { maxLength: 12 },
)
type Reads = readonly { window: Interval; status: 'proven' | 'unproven' }[]

const rowsOf = (all: Reads): LedgerRow[] =>
  all.reduce<LedgerRow[]>(
    (rows, { window, status }, index) =>
      recordWindow(rows, { ...window, status, evidence: String(index) }),
    [],
  )
const instants = ({ startMs, endMs }: Interval): number[] =>
  Array.from({ length: endMs - startMs }, (_, index) => startMs + index)

/**
 * The model: what each instant is known by. The newest proof wins; without one, the newest failure.
 */
function modelOf(all: Reads): Map<number, string> {
  const model = new Map<number, string>()
  all.forEach(({ window, status }, index) => {
    for (const ms of instants(window))
      if (status === 'proven' || !model.get(ms)?.startsWith('proven'))
        model.set(ms, `${status} ${index}`)
  })
  return model
}

const notes = defineStream({
  name: 'notes',
  singular: 'note',
  title: 'notes',
  path: '/notes',
  windowing: 'days',
  offset: 'skip',
  pageCap: 10,
  cursor: 'modified',
  eventTimes: ['modified'],
  lookbackDays: 0,
  columns: { ...text('id'), ...timestamp('modified') },
  children: {},
})

describe('the ledger', () => {
  it('says of every instant what the newest proof says, or the newest failure where there is none, exactly once', () => {
    fc.assert(
      fc.property(reads, all => {
        const said = rowsOf(all).flatMap(row =>
          instants(row).map(ms => [ms, `${row.status} ${row.evidence}`] as const),
        )
        expect(new Set(said.map(([ms]) => ms)).size).toBe(said.length)
        expect(new Map(said)).toEqual(new Map([...modelOf(all)].sort(([a], [b]) => a - b)))
      }),
      { numRuns: 500 },
    )
  })

  it('would lose proofs if the newest reading won whatever it found', () => {
    const newestWins = fc.property(reads, all => {
      const careless = new Map(
        all.flatMap(({ window, status }, index) =>
          instants(window).map(ms => [ms, `${status} ${index}`] as const),
        ),
      )
      return [...modelOf(all)].every(([ms, said]) => careless.get(ms) === said)
    })
    expect(fc.check(newestWins).failed).toBe(true)
  })

  it('covers a range: each instant in one part, in order, and never read where nobody was', () => {
    fc.assert(
      fc.property(reads, interval, (all, range) => {
        const parts = coverage(rowsOf(all), range)
        expect(parts.flatMap(instants)).toEqual(instants(range))
        const model = modelOf(all)
        for (const part of parts)
          for (const ms of instants(part))
            expect(part.status).toBe(model.get(ms)?.split(' ')[0] ?? 'never read')
      }),
      { numRuns: 500 },
    )
  })

  it('asks again only for what is unproven or was read too soon after it happened', () => {
    const timed = fc.array(
      fc.record({
        window: interval,
        status: fc.constantFrom('proven' as const, 'unproven' as const),
        lateMs: fc.nat(20),
      }),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(timed, interval, fc.nat(15), (all, range, lookbackMs) => {
        const readAtMs = all.map(({ window, lateMs }) => window.endMs + lateMs)
        const rows = all.reduce<LedgerRow[]>(
          (known, { window, status }, index) =>
            recordWindow(known, {
              ...window,
              status,
              evidence: JSON.stringify({ readAt: new Date(readAtMs[index]!).toISOString() }),
            }),
          [],
        )
        const model = modelOf(all)
        const isSettled = (ms: number): boolean => {
          const [status, index] = model.get(ms)?.split(' ') ?? []
          return status === 'proven' && ms < readAtMs[Number(index)]! - lookbackMs
        }
        expect(toRead(rows, range, lookbackMs).flatMap(instants)).toEqual(
          instants(range).filter(ms => !isSettled(ms)),
        )
        expect(toRead(rows, range, Infinity).flatMap(instants)).toEqual(instants(range))
      }),
      { numRuns: 500 },
    )
  })

  it('has a watermark below which all is proven since the first proof, and that no failure moves back', () => {
    fc.assert(
      fc.property(reads, interval, (all, window) => {
        const rows = rowsOf(all)
        const model = modelOf(all)
        const mark = watermarkOf(rows)
        const first = [...model]
          .filter(([, said]) => said.startsWith('proven'))
          .map(([ms]) => ms)
          .sort((a, b) => a - b)[0]
        expect(mark === undefined).toBe(first === undefined)
        if (mark === undefined || first === undefined) return
        for (let ms = first; ms < mark; ms++) expect(model.get(ms)).toMatch(/^proven/)
        expect(model.get(mark)?.startsWith('proven') ?? false).toBe(false)
        expect(
          watermarkOf(recordWindow(rows, { ...window, status: 'unproven', evidence: '' })),
        ).toBe(mark)
      }),
      { numRuns: 500 },
    )
  })

  it('is in the database what it is as a pure decision, for each store and stream', async () => {
    const { load, all: query } = await openDatabase([notes])
    const iso = (ms: number): string =>
      new Date(Date.UTC(2026, 0, 1) + ms * 3_600_000).toISOString()
    let run = 0
    fc.assert(
      fc.property(reads, all => {
        const store = `store ${++run}`
        all.forEach(({ window, status }, index) =>
          load(notes, [], {
            store,
            status,
            evidence: { index },
            window: { start: iso(window.startMs), end: iso(window.endMs) },
            readAt: 'now',
          }),
        )
        const expected = rowsOf(all).map(row => ({
          window_start: iso(row.startMs),
          window_end: iso(row.endMs),
          status: row.status,
          evidence: `{"index":${row.evidence},"readAt":"now"}`,
        }))
        expect(
          query(
            'SELECT window_start, window_end, status, evidence FROM windows WHERE store_id = ? ORDER BY window_start',
            store,
          ),
        ).toEqual(expected)
        expect(query('SELECT count(*) AS n FROM readings WHERE store_id = ?', store)).toEqual([
          { n: all.length },
        ])
      }),
      { numRuns: 100 },
    )
  })

  it.each(['ends later', 'was read later'])(
    'loses for good what was written while the clock was ahead (it %s than now), in that stream alone',
    async how => {
      const { connection, all: query } = await openDatabase([])
      const [start, right] = [Date.UTC(2026, 2, 1), Date.UTC(2026, 2, 10)]
      let nowMs = right
      const iso = (day: number): string => new Date(start + day * DAY_MS).toISOString()
      // A process that knows the time before it is set right, and one that starts afterwards.
      for (const isNewProcess of [true, false]) {
        let ledger = createLedgerTable(() => nowMs)
        const record = (stream: string, from: number, readDay: number): void =>
          stepsOn(connection)(
            ledger.record({
              store: 'downtown',
              stream,
              window: { start: iso(from), end: iso(from + 1) },
              status: 'proven',
              evidence: {},
              readAt: iso(readDay),
            } as WindowToCommit),
          )
        const days = (stream: string): unknown[] =>
          query('SELECT window_start FROM windows WHERE stream = ? ORDER BY 1', stream).map(
            row => row['window_start'],
          )
        connection.exec('DELETE FROM windows')
        for (const stream of ['sales', 'others']) {
          nowMs = right - DAY_MS
          record(stream, 1, 2)
          nowMs = right + 5 * DAY_MS
          record(stream, how === 'ends later' ? 11 : 3, 12)
        }
        expect(days('sales')).toHaveLength(2)
        nowMs = right
        if (isNewProcess) ledger = createLedgerTable(() => nowMs)
        record('sales', 5, 9)
        expect(days('sales')).toEqual([iso(1), iso(5)])
        expect(days('others')).toHaveLength(2)
        // What was read this very moment stays.
        record('sales', 8, 9)
        nowMs++
        record('sales', 7, 9)
        expect(days('sales')).toEqual([iso(1), iso(5), iso(7), iso(8)])
      }
    },
  )

  it('counts how often a finding was made, and keeps its latest words', async () => {
    const { load, all } = await openDatabase([notes])
    expect(
      load(notes, [], { findings: [{ code: 'page_cap', detail: 'first' }], readAt: '1' })
        .findingIds,
    ).toEqual(['downtown/notes/page_cap'])
    load(notes, [], { findings: [{ code: 'page_cap', detail: 'second' }], readAt: '2' })
    expect(all('SELECT * FROM findings')).toEqual([
      {
        id: 'downtown/notes/page_cap',
        store_id: 'downtown',
        stream: 'notes',
        code: 'page_cap',
        detail: 'second',
        times: 2,
        first_seen_at: '1',
        last_seen_at: '2',
      },
    ])
  })
})

describe('stale', () => {
  const at = (day: number): string =>
    JSON.stringify({ readAt: new Date(day * DAY_MS).toISOString() })
  const parts = (row: LedgerRow, nowDay: number, lookbackDays: number): unknown[] =>
    coverage([row], row, { nowMs: nowDay * DAY_MS, lookbackMs: lookbackDays * DAY_MS }).map(
      ({ status, startMs, endMs }) => [status, startMs / DAY_MS, endMs / DAY_MS],
    )
  const row = (startDay: number, endDay: number, readDay: number): LedgerRow => ({
    startMs: startDay * DAY_MS,
    endMs: endDay * DAY_MS,
    status: 'proven',
    evidence: at(readDay),
  })

  it('is what was proven within the lookback after it happened, once a day has passed', () => {
    expect(parts(row(100, 106, 106), 106.5, 7)).toEqual([['proven', 100, 106]])
    expect(parts(row(100, 106, 106), 108, 7)).toEqual([['stale', 100, 106]])
    expect(parts(row(100, 106, 110), 120, 7)).toEqual([
      ['proven', 100, 103],
      ['stale', 103, 106],
    ])
    expect(parts(row(100, 106, 113), 120, 7)).toEqual([['proven', 100, 106]])
    expect(parts(row(100, 106, 200), 202, Number.POSITIVE_INFINITY)).toEqual([['stale', 100, 106]])
    expect(parts({ ...row(100, 106, 106), status: 'unproven' }, 120, 7)).toEqual([
      ['unproven', 100, 106],
    ])
    expect(parts({ ...row(100, 106, 106), evidence: '{}' }, 120, 7)).toEqual([['proven', 100, 106]])
  })

  it('parts cover each instant once, whatever is stale', () => {
    fc.assert(
      fc.property(
        interval,
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 0, max: 30 }),
        (window, readDay, nowDay, lookbackDays) => {
          const all = coverage(
            [{ ...window, status: 'proven', evidence: at(readDay) }],
            { startMs: 0, endMs: LAST },
            { nowMs: nowDay * DAY_MS, lookbackMs: lookbackDays * DAY_MS },
          )
          expect(all.flatMap(instants)).toEqual(instants({ startMs: 0, endMs: LAST }))
        },
      ),
    )
  })
})
