import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { movedBetween, movementsOf } from '../../audit/movement.ts'
import { toAmount } from '../../money/amount.ts'
import { hasToken, writeNote } from '../../reconcile/note.ts'
import { judgeLine } from '../../reconcile/verify-posting.ts'
import type { LineSeen } from '../../reconcile/verify-posting.ts'

const sale = (atMs: number, quantity: number, more: object = {}): Record<string, unknown> => ({
  id: `T${atMs}`,
  transType: 'Sale',
  status: 'Completed',
  completedTime: atMs,
  cart: { items: [{ quantityLogs: [{ batchId: 'B', inventoryId: 'R', quantity }] }] },
  ...more,
})

const amount = (text: string): bigint => toAmount(text)!

describe('movements', () => {
  it('are sales out, refunds that were restocked in, and transfers on both sides', () => {
    const movements = movementsOf([
      sale(10, 2),
      sale(20, 1, { transType: 'Refund' }),
      sale(30, 5, { status: 'Hold' }),
      sale(40, 5, { transType: 'Reconciliation' }),
      {
        ...sale(50, 0, { transType: 'Transfer', cart: null }),
        transferRequest: {
          transfers: [
            { fromInventoryId: 'R', fromBatchId: 'B', toInventoryId: 'S', transferAmount: 0.5 },
          ],
        },
      },
    ])
    expect(movedBetween(movements, 'R/B', 0)).toBe(amount('-1.5'))
    expect(movedBetween(movements, 'S/B', 0)).toBe(amount('0.5'))
    expect(movedBetween(movements, 'R/B', 10, 20)).toBe(amount('1'))
  })

  it('read types, statuses and what is deleted as the books do', () => {
    const movements = movementsOf([
      sale(10, 2, { transType: 'SALE', status: 'COMPLETED' }),
      sale(20, 5, { deleted: 1 }),
      sale(30, 7, { transType: undefined, status: undefined }),
    ])
    expect(movedBetween(movements, 'R/B', 0)).toBe(amount('-9'))
  })

  it('without a time of their own count when the books count them', () => {
    const untimed = { ...sale(0, 2), completedTime: undefined }
    const movements = movementsOf([
      { ...untimed, processedTime: '30', modified: 50 },
      { ...untimed, completedTime: null, modified: 50, created: 20 },
    ])
    expect(movements.map(({ atMs }) => atMs)).toEqual([30, 50])
  })

  it.each([
    ['when it moved goods', { completedTime: undefined }],
    ['how much it moved of R/B', { cart: { items: [{ batchId: 'B', inventoryId: 'R' }] } }],
    [
      'how much it moved of R/B',
      { cart: { items: [{ quantityLogs: [{ batchId: 'B', inventoryId: 'R', quantity: null }] }] } },
    ],
  ])('are an error and not nothing where a sale does not say %s', (what, change) => {
    expect(() => movementsOf([{ ...sale(10, 2), ...change }])).toThrow(
      `the transaction T10 does not say ${what}`,
    )
    expect(movementsOf([{ ...sale(10, 2), ...change, status: 'Canceled' }])).toEqual([])
  })

  it('are none of a sale without goods, whatever it does not say', () => {
    expect(movementsOf([{ id: 'T', status: 'Completed', cart: { items: [] } }])).toEqual([])
  })
})

describe('a note', () => {
  it('holds its token, no other, and at most 200 characters, whatever people write', () => {
    const token = '0123456789abcdef01234567'
    fc.assert(
      fc.property(fc.array(fc.string()), fc.array(fc.string()), (reasons, notes) => {
        const note = writeNote({ audit: 'AUD-1', reasons, notes, token })
        expect(note.length).toBeLessThanOrEqual(200)
        expect(hasToken(note, token)).toBe(true)
        expect(note.match(/\[tlg:/g)).toHaveLength(1)
      }),
    )
    const other = writeNote({ audit: 'A', reasons: [], notes: ['[tlg:ffff]'], token })
    expect(hasToken(other, 'ffff')).toBe(false)
  })
})

describe('a lot that was posted', () => {
  const line = {
    inventory_id: 'R',
    batch_id: 'B',
    qty_before: '10',
    qty_to_post: '8',
  } as LineSeen['line']
  const judge = (more: Partial<LineSeen>): string | null =>
    judgeLine({
      line,
      after: amount('8'),
      replaced: amount('10'),
      movements: [],
      lookedMs: 100,
      committedMs: 200,
      ...more,
    })

  it('is as it should be, or the reason is named', () => {
    expect(judge({})).toBeNull()
    expect(judge({ after: amount('10') })).toBe('not taken')
    expect(judge({ after: amount('7') })).toBe('unexplained')
    const later = movementsOf([sale(300, 1)])
    expect(judge({ after: amount('7'), movements: later })).toBe('sale')
  })

  it('covers a sale between the last reading and the commit, which is named', () => {
    expect(judge({ movements: movementsOf([sale(150, 1)]) })).toBe('sale overwritten')
    expect(judge({ replaced: amount('9') })).toBe('sale overwritten')
    expect(judge({ movements: movementsOf([sale(50, 1)]) })).toBeNull()
    expect(judge({ after: amount('10'), replaced: amount('9') })).toBe('not taken')
  })

  it('is explained by a sale in the millisecond of the commit, whichever of both came first', () => {
    const tied = movementsOf([sale(200, 1)])
    expect(judge({ after: amount('7'), movements: tied })).toBe('sale')
    expect(judge({ movements: tied, replaced: amount('9') })).toBe('sale overwritten')
    expect(judge({ after: amount('6'), movements: tied })).toBe('sale overwritten, unexplained')
    const both = movementsOf([sale(150, 2), sale(200, 1), sale(300, 3)])
    expect(judge({ after: amount('4'), movements: both })).toBe('sale overwritten, sale')
    // The clock of the API is behind ours: the reading and the commit bear the same time.
    expect(judge({ after: amount('7'), movements: tied, lookedMs: 200 })).toBe('sale')
  })

  it('is explained by a sale before or after a commit whose time the API does not say', () => {
    const untimed = { committedMs: undefined, movements: movementsOf([sale(50, 4), sale(150, 1)]) }
    expect(judge({ ...untimed, after: amount('7') })).toBe('sale')
    expect(judge({ ...untimed, after: amount('8') })).toBe('sale overwritten')
    expect(judge({ ...untimed, after: amount('5') })).toBe('sale overwritten, unexplained')
  })

  it('covers it also where the count agreed, so that the amount is the one before', () => {
    const agreed = { ...line, qty_to_post: '10' }
    const seen = { line: agreed, after: amount('10') }
    expect(judge(seen)).toBeNull()
    expect(judge({ ...seen, movements: movementsOf([sale(150, 1)]) })).toBe('sale overwritten')
    expect(judge({ ...seen, replaced: amount('9') })).toBe('sale overwritten')
  })
})
