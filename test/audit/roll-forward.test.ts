import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rollForward } from '../../audit/report/roll-forward.ts'
import type { RollForwardFacts } from '../../audit/report/roll-forward.ts'
import { toAmount } from '../../exports/books/amount.ts'
import type { Movement } from '../../reconcile/movement.ts'
import { aLine, aSnapshot } from './a-snapshot.ts'

const BEFORE = aSnapshot({ audit: 'AUD-0', lines: [aLine({ expected: '10' })] })
const LATER = aSnapshot({
  startedAt: '2026-03-16T08:00:00.000Z',
  endedAt: '2026-03-16T08:00:02.000Z',
  lines: [aLine({ expected: '7' })],
})
const atMs = Date.parse('2026-03-12T08:00:00.000Z')

const row = (facts: Partial<RollForwardFacts>): Record<string, string> => {
  const { columns, rows } = rollForward({
    previous: BEFORE,
    snapshot: LATER,
    movements: [],
    reconciliations: [],
    replaced: new Map(),
    ...facts,
  })
  return Object.fromEntries(columns.map(({ name }, at) => [name, rows[0]![at]!]))
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
