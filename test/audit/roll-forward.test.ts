import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Movement } from '../../audit/movement.ts'
import { rollForward } from '../../audit/report/roll-forward.ts'
import type { RollForwardFacts } from '../../audit/report/roll-forward.ts'
import type { SnapshotLine } from '../../audit/snapshot.ts'
import { toAmount } from '../../money/amount.ts'
import { aLine, aSnapshot } from './a-snapshot.ts'

const BEFORE = aSnapshot({ audit: 'AUD-0', lines: [aLine({ expected: '10' })] })
const LATER = aSnapshot({
  startedAt: '2026-03-16T08:00:00.000Z',
  endedAt: '2026-03-16T08:00:02.000Z',
  lines: [aLine({ expected: '7' })],
})
const atMs = Date.parse('2026-03-12T08:00:00.000Z')

const row = (facts: Partial<RollForwardFacts>): Record<string, string> => rowsOf(facts)[0]!

const rowsOf = (facts: Partial<RollForwardFacts>): Record<string, string>[] => {
  const { columns, rows } = rollForward({
    previous: BEFORE,
    snapshot: LATER,
    movements: [],
    reconciliations: [],
    replaced: new Map(),
    ...facts,
  })
  return rows.map(one => Object.fromEntries(columns.map(({ name }, at) => [name, one[at]!])))
}

const counted = (newQuantity: number, more: object = {}): Record<string, unknown> => ({
  id: 'RC-1',
  inventoryId: 'R1',
  created: atMs,
  reconciliations: [{ batchId: 'B1', inventoryId: 'R1', oldQuantity: 10, newQuantity }],
  ...more,
})

describe('a roll-forward', () => {
  it('tells an adjustment from what was reported as a loss', () => {
    expect(row({ reconciliations: [counted(7)] })).toMatchObject({
      adjusted: '-3',
      disposed: '0',
      unexplained: '0',
    })
    for (const loss of [{ reportLoss: true }, { complianceReason: 'Waste Disposal' }])
      expect(row({ reconciliations: [counted(7, loss)] })).toMatchObject({
        adjusted: '0',
        disposed: '3',
        unexplained: '0',
      })
    // More than there was is no disposal, whatever it is called.
    expect(row({ reconciliations: [counted(12, { reportLoss: true })] })).toMatchObject({
      adjusted: '2',
      disposed: '0',
      unexplained: '-5',
    })
  })

  it('knows from a receipt of ours what the history does not say, and else leaves it unexplained', () => {
    const silent = counted(7, { reconciliations: [{ batchId: 'B1', newQuantity: 7 }] })
    expect(row({ reconciliations: [silent] })).toMatchObject({ adjusted: '0', unexplained: '-3' })
    const replaced = new Map([['RC-1', new Map([['B1', '10']])]])
    expect(row({ reconciliations: [silent], replaced })).toMatchObject({
      adjusted: '-3',
      unexplained: '0',
    })
  })

  it('books a delivery where all of it lies, and nowhere where some rooms were not read', () => {
    const came = { batchId: 'B2', receivedAt: '2026-03-12T08:00:00.000Z', receivedQty: '100' }
    const rooms = ['R1', 'R2'].map(id => ({ id, name: id, type: '' }))
    const told = (isPartial: boolean, ...shares: string[]) => {
      const lines = shares.map((expected, at) =>
        aLine({ ...came, inventoryId: rooms[at]!.id, expected }),
      )
      const snapshot = aSnapshot({ ...LATER, rooms, isPartial, lines })
      return row({ previous: aSnapshot({ audit: 'AUD-0', rooms, lines: [] }), snapshot })
    }
    expect(told(false, '100')).toMatchObject({ received: '100', unexplained: '0' })
    expect(told(false, '60', '40')).toMatchObject({ received: '0', unexplained: '60' })
    expect(told(true, '60')).toMatchObject({ received: '0', unexplained: '60' })
  })

  const ROOMS = ['R1', 'R2'].map(id => ({ id, name: `Room ${id}`, type: '' }))
  const NEW = { batchId: 'B2', receivedAt: '2026-03-12T08:00:00.000Z', receivedQty: '100' }
  const moved = (kind: Movement['kind'], inventoryId: string, amount: string): Movement => {
    const about = { kind, key: `${inventoryId}/B2`, transactionId: `${kind}-${inventoryId}` }
    return { ...about, amount: toAmount(amount)!, atMs }
  }
  const previous = aSnapshot({ audit: 'AUD-0', rooms: ROOMS, lines: [] })

  it('has a row of a lot that came and was sold out in between', () => {
    const lot = aLine(NEW)
    const snapshot = aSnapshot({ ...LATER, rooms: ROOMS, lines: [], otherLots: [lot] })
    expect(rowsOf({ previous, snapshot, movements: [moved('sold', 'R1', '-100')] })).toMatchObject([
      {
        inventory_id: 'R1',
        room: 'Room R1',
        product_id: 'P1',
        batch_id: 'B2',
        begin_qty: '0',
        received: '100',
        sold: '100',
        unexplained: '0',
        expected_qty: '0',
      },
    ])
    // Rooms that were not read, and times before, are no part of it.
    const elsewhere = [
      moved('sold', 'R9', '-100'),
      { ...moved('sold', 'R1', '-1'), atMs: Date.parse('2026-03-01T00:00:00.000Z') },
    ]
    expect(rowsOf({ previous, snapshot, movements: elsewhere })).toEqual([])
  })

  it('books a delivery where it came in, and not where it was carried to', () => {
    const movements = [moved('transfers_out', 'R1', '-40'), moved('transfers_in', 'R2', '40')]
    const told = (lots: readonly SnapshotLine[], all: readonly Movement[]) =>
      rowsOf({
        previous,
        snapshot: aSnapshot({ ...LATER, rooms: ROOMS, lines: [...lots] }),
        movements: all,
      }).toSorted((one, other) => (one['inventory_id']! < other['inventory_id']! ? -1 : 1))
    const lies = (inventoryId: string, expected: string): SnapshotLine =>
      aLine({ ...NEW, inventoryId, expected })
    expect(told([lies('R1', '60'), lies('R2', '40')], movements)).toMatchObject([
      { inventory_id: 'R1', received: '100', transfers_out: '40', unexplained: '0' },
      { inventory_id: 'R2', received: '0', transfers_in: '40', unexplained: '0' },
    ])
    const all = [moved('transfers_out', 'R1', '-100'), moved('transfers_in', 'R2', '100')]
    expect(told([lies('R2', '100')], all)).toMatchObject([
      { inventory_id: 'R1', received: '100', transfers_out: '100', unexplained: '0' },
      { inventory_id: 'R2', received: '0', transfers_in: '100', unexplained: '0' },
    ])
  })

  it('adds up in each row, whatever happened', () => {
    const amount = fc.integer({ min: 0, max: 40 })
    const kind = fc.constantFrom<Movement['kind'][]>(
      'sold',
      'returned',
      'transfers_in',
      'transfers_out',
    )
    const moved = fc.record({ kind, amount, day: fc.integer({ min: 1, max: 25 }) })
    fc.assert(
      fc.property(fc.array(moved), amount, amount, fc.array(amount), (all, begin, end, counts) => {
        const movements = all.map(({ kind: what, amount: many, day }, at): Movement => {
          const isOut = what === 'sold' || what === 'transfers_out'
          const on = `2026-03-${String(day).padStart(2, '0')}T12:00:00.000Z`
          const signed = toAmount(String(isOut ? -many : many))!
          const about = { kind: what, key: 'R1/B1', transactionId: `T${at}` }
          return { ...about, amount: signed, atMs: Date.parse(on) }
        })
        const told = row({
          previous: aSnapshot({ audit: 'AUD-0', lines: [aLine({ expected: String(begin) })] }),
          snapshot: aSnapshot({ ...LATER, lines: [aLine({ expected: String(end) })] }),
          movements,
          reconciliations: counts.map(count => counted(count, { reportLoss: count % 2 === 0 })),
        })
        const of = (name: string): number => Number(told[name])
        const added = of('received') + of('transfers_in') + of('returned') + of('adjusted')
        const taken = of('transfers_out') + of('sold') + of('disposed')
        expect(of('begin_qty') + added - taken + of('unexplained')).toBe(of('expected_qty'))
        expect(of('expected_qty')).toBe(end)
      }),
    )
  })
})
