import { describe, expect, it } from 'vitest'
import { createRecordExaminer } from '../../../connectors/answer/judge-records.ts'
import { taxRates } from '../../../connectors/partner/streams/tax-rates.ts'
import { transactions } from '../../../connectors/partner/streams/transactions.ts'
import type { Stream } from '../../../connectors/stream.ts'

const problemsOf = (record: unknown, stream: Stream = transactions): string[] =>
  createRecordExaminer(stream)([JSON.stringify(record)]).unfit.flatMap(({ reason }) =>
    reason.split('; '),
  )

describe('the reason of a record that does not fit', () => {
  it('names places and kinds, never values', () => {
    const problems = problemsOf({
      id: 7.5,
      modified: 'Ann',
      cart: { total: 'Bob', items: [{ quantity: 'Cid' }] },
      deleted: 'Dan',
    })
    expect(problems.sort()).toEqual([
      'cart.items[0].quantity: expected decimal, received string',
      'cart.total: expected decimal, received string',
      'deleted: expected boolean, received string',
      'id: expected a text that is not empty',
      'modified: expected timestamp, received string',
    ])
    expect(problemsOf({ id: 7, cart: { items: { 0: 'Ann' } }, payments: null })).toEqual([
      'cart.items: expected list, received object',
    ])
    for (const value of [null, 7, 'x', []])
      expect(problemsOf(value)).toEqual(['the record is not an object'])
  })

  it('says which fields may be its key', () => {
    expect(problemsOf({ name: '', rate: 1 }, taxRates)).toEqual([
      'id, name: expected one that is not empty',
    ])
    expect(problemsOf({ name: 'City', id: '' }, taxRates)).toEqual([])
  })
})
