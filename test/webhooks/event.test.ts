import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { HINTED_TYPES, readEvent } from '../../webhooks/event.ts'

const of = (event: unknown) => readEvent(Buffer.from(JSON.stringify(event)))

describe('what a body names', () => {
  it.each([
    [
      { webHookType: 'UPDATE_PRODUCT', id: 'p1' },
      { stream: 'products', id: 'p1' },
    ],
    [
      { type: 'UPDATE_MEMBER', data: { id: 'm1' } },
      { stream: 'members', id: 'm1' },
    ],
    [{ eventType: 'CREATE_TRANSACTION' }, { stream: 'transactions' }],
    [{ webHookType: 'UPDATE_PRODUCT', id: '../etc/passwd' }, { stream: 'products' }],
    [{ webHookType: 'UPDATE_PRODUCT', id: 'x'.repeat(65) }, { stream: 'products' }],
    [{ webHookType: 'UPDATE_PRODUCT', id: 7 }, { stream: 'products' }],
    [
      { webHookType: 'TRANSACTION_UPDATE', id: 't1' },
      { stream: 'transactions', id: 't1' },
    ],
    [
      { event: 'product.updated', productId: 'p1' },
      { stream: 'products', id: 'p1' },
    ],
    [{ type: 'something new', id: 'x1' }, { stream: 'transactions' }],
    [{ id: 'of what?' }, { stream: 'transactions' }],
    [[], { stream: 'transactions' }],
  ])('%j is %j', (event, target) => {
    expect(of(event)).toEqual(target)
  })

  it('an event of consumers is of no stream', () => {
    expect(of({ webHookType: 'NEW_CONSUMER_SIGNUP', id: 'c1' })).toBeUndefined()
  })

  it('a body that is not JSON, or none, is about what changes all day', () => {
    expect(readEvent(Buffer.alloc(0))).toEqual({ stream: 'transactions' })
    expect(readEvent(Buffer.from('{"id":'))).toEqual({ stream: 'transactions' })
  })
})

test('whatever a body holds, it names a stream and at most an id that a path can take', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.jsonValue().map(value => JSON.stringify(value)),
        fc.string(),
      ),
      text => {
        const target = readEvent(Buffer.from(text))
        expect(target?.stream ?? 'members').toMatch(/^(members|products|transactions)$/)
        expect(target?.id ?? 'a').toMatch(/^[\w-]{1,64}$/)
      },
    ),
  )
})

test('the API is asked to tell of every type that a stream declares', () => {
  expect(HINTED_TYPES.toSorted()).toEqual([
    'CANCEL_TRANSACTION',
    'COMPLETE_TRANSACTION',
    'CREATE_TRANSACTION',
    'NEW_MEMBER',
    'UPDATE_MEMBER',
    'UPDATE_PRODUCT',
    'UPDATE_TRANSACTION',
  ])
})
