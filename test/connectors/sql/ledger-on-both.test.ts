import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HOUR_MS, fromIso, subtract, toIso, watermark } from '../../../calendar/days.ts'
import type { Interval } from '../../../calendar/days.ts'
import {
  failedAgain,
  plausibleRows,
  readAtMs,
  recordWindow,
} from '../../../connectors/destination/coverage.ts'
import type { FailedReading, LedgerRow } from '../../../connectors/destination/coverage.ts'
import { reachedMs, standingOf } from '../../../connectors/destination/ledger.ts'
import { createLedger } from '../../../connectors/sql/ledger.ts'
import { KINDS } from './databases.ts'
import type { SharedTables } from './databases.ts'

const T0 = fromIso('2026-03-01T00:00:00Z')
const hour = (hours: number): number => T0 + hours * HOUR_MS

const reading = fc.record({
  stream: fc.constantFrom('members', 'notes'),
  status: fc.constantFrom('proven' as const, 'proven' as const, 'unproven' as const),
  first: fc.nat(12),
  hours: fc.integer({ min: 1, max: 6 }),
  /** Some windows end after now. */
  later: fc.constantFrom(0, 0, 0, 0, 30),
  /** How far the clock was ahead when it was read. */
  aheadHours: fc.constantFrom(0, 0, 0, 0, 0, 60),
})
type Reading = typeof reading extends fc.Arbitrary<infer Value> ? Value : never

interface Read extends Interval {
  stream: string
  status: 'proven' | 'unproven'
  readAt: string
}

/** Each is read an hour after the one before it. */
const asRead = (
  { stream, status, first, hours, later, aheadHours }: Reading,
  index: number,
): Read => ({
  stream,
  status,
  startMs: hour(first + later),
  endMs: hour(first + later + hours),
  readAt: toIso(hour(20 + index + aheadHours)),
})
const NOW = hour(40)
const STREAMS = ['members', 'notes', 'never read']

const ledgerOf = (all: readonly Read[], stream: string): LedgerRow[] =>
  all
    .filter(one => one.stream === stream)
    .reduce<LedgerRow[]>(
      (rows, { startMs, endMs, status, readAt }) =>
        recordWindow(rows, { startMs, endMs, status, evidence: JSON.stringify({ readAt }) }),
      [],
    )

let stores = 0

/** The tables as readings leave them, of a store of its own. */
async function keep(tables: SharedTables, all: readonly Read[]): Promise<string> {
  stores += 1
  const store_id = `store-${stores}`
  const span = ({ startMs, endMs }: Interval) => ({
    window_start: toIso(startMs),
    window_end: toIso(endMs),
  })
  const rows = STREAMS.flatMap(stream =>
    ledgerOf(all, stream).map(row => {
      const { status, evidence } = row
      return { store_id, stream, ...span(row), status, evidence }
    }),
  )
  await tables.statements.executeAll([
    ...rows.map(row => tables.db.insertInto('windows').values(row).compile()),
    ...all.map(one => {
      const { stream, status, readAt: read_at } = one
      const row = { store_id, stream, ...span(one), status, counts: '{}', read_at }
      return tables.db.insertInto('readings').values(row).compile()
    }),
  ])
  return store_id
}

/** What the database answers of a stream, and what follows from all of its rows. */
async function compare(
  tables: SharedTables,
  kept: readonly Read[],
  all: readonly Read[] = kept,
): Promise<{ answered: unknown; derived: unknown }[]> {
  const store = await keep(tables, kept)
  const ledger = createLedger(tables.db, () => NOW)
  const standings = await ledger.standings(store)
  const failures = await ledger.failedReadings(store)
  const first = await ledger.firstReadAt(store)
  const touching = { startMs: hour(4), endMs: hour(7) }
  const compared = []
  for (const stream of STREAMS) {
    const rows = plausibleRows(ledgerOf(all, stream), NOW)
    const standing = standingOf(standings, stream)
    const failed = failures.filter(one => one.stream === stream)
    const around = await ledger.windows(store, stream, touching)
    compared.push({
      answered: {
        ...standing,
        first,
        reached: reachedMs(standing),
        open: openOf(failed, rows),
        around: around.toSorted((one, other) => one.startMs - other.startMs),
      },
      derived: { ...derive(all, stream, rows), around: rows.filter(row => touches(row, touching)) },
    })
  }
  return compared
}

const touches = (one: Interval, other: Interval): boolean =>
  one.startMs < other.endMs && one.endMs > other.startMs

/** What of failed readings is open, and which of them unproven rows come from. */
const openOf = (failed: readonly FailedReading[], rows: readonly LedgerRow[]): unknown => ({
  again: failedAgain(failed, rows),
  never: failed.filter(one => rows.some(row => row.status === 'unproven' && touches(row, one))),
})

function derive(all: readonly Read[], stream: string, rows: readonly LedgerRow[]): object {
  const proven = rows.filter(({ status }) => status === 'proven')
  const span =
    proven.length === 0 ? undefined : { startMs: proven[0]!.startMs, endMs: proven.at(-1)!.endMs }
  const its = all.filter(one => one.stream === stream)
  const failed = its
    .filter(({ status }) => status === 'unproven')
    .map(({ startMs, endMs, readAt }) => ({ stream, startMs, endMs, readAt }))
    .toReversed()
  return {
    proven: span,
    gaps: span === undefined ? [] : subtract(span, proven),
    newestProofAt:
      proven.length === 0 ? undefined : toIso(Math.max(...proven.map(row => readAtMs(row)))),
    unproven: rows.filter(({ status }) => status === 'unproven'),
    lastReadAt: its.at(-1)?.readAt,
    first: all[0]?.readAt,
    reached: watermark(proven),
    open: openOf(failed, rows),
  }
}

const part = (status: Read['status'], first: number, last: number, at: number): Read => ({
  stream: 'notes',
  status,
  startMs: hour(first),
  endMs: hour(last),
  readAt: toIso(hour(at)),
})

describe.each(Object.entries(KINDS))('the ledger, on %s,', (kind, open) => {
  let tables: SharedTables
  beforeAll(async () => {
    tables = await open()
  })
  afterAll(() => tables.close())

  const cases = fc.array(reading, { maxLength: 14 }).map(all => all.map(asRead))

  it('answers of each stream what follows from all of its rows', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async all => {
        for (const { answered, derived } of await compare(tables, all))
          expect(answered).toEqual(derived)
      }),
      { numRuns: kind === 'SQLite' ? 300 : 60 },
    )
  })

  it('tells a gap that was read in vain as one that nobody has read', async () => {
    const ends = [part('proven', 0, 3, 20), part('proven', 7, 9, 21)]
    const inVain = [part('unproven', 3, 5, 22), part('unproven', 5, 7, 23)]
    for (const between of [[], inVain, inVain.slice(0, 1), [part('unproven', 9, 12, 22)]]) {
      const [, notes] = await compare(tables, [...ends, ...between])
      expect(notes!.answered).toEqual(notes!.derived)
      expect(notes!.answered).toMatchObject({ gaps: [{ startMs: hour(3), endMs: hour(7) }] })
    }
  })

  it('answers something else where it was not told of a reading', async () => {
    const forgetful = fc.asyncProperty(cases, async all => {
      for (const { answered, derived } of await compare(tables, all.slice(1), all))
        expect(answered).toEqual(derived)
    })
    expect((await fc.check(forgetful, { endOnFailure: true })).failed).toBe(true)
  })

  it('leaves out a failed reading whose window was proven since in parts', async () => {
    const whole = part('unproven', 0, 6, 20)
    const first = part('proven', 0, 3, 21)
    const ledger = createLedger(tables.db, () => NOW)
    const over = await keep(tables, [whole, first, part('proven', 3, 8, 22)])
    expect(await ledger.failedReadings(over)).toEqual([])
    const half = await keep(tables, [whole, first, part('proven', 4, 8, 22)])
    expect(await ledger.failedReadings(half)).toHaveLength(1)
    expect(await ledger.failedReadings(half, 'notes')).toHaveLength(1)
    expect(await ledger.failedReadings(half, 'members')).toEqual([])
  })
})
