import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { emptyShape, findDrift, mergeShapes } from '../../connectors/shape.ts'
import type { Shape } from '../../connectors/shape.ts'
import { observe } from '../helpers/observe-shape.ts'

const shapeOf = (records: readonly unknown[]): Shape => {
  const shape = emptyShape()
  records.forEach((record, index) => observe(shape, record, `r${index}`))
  return shape
}
const times = (count: number, record: unknown): unknown[] =>
  Array.from({ length: count }, () => record)
const codes = (known: Shape, seen: Shape): string[] =>
  findDrift(known, seen).map(({ code, path }) => `${code} ${path}`)

describe('the shape of records', () => {
  const sale = {
    id: 't1',
    cart: { total: 12.5, items: [{ productId: 'p1', quantity: 1 }] },
    note: null,
  }

  test('a field that is new is told with its place, however deep, and with no value', () => {
    const drift = findDrift(
      shapeOf([sale]),
      shapeOf([
        sale,
        {
          ...sale,
          cart: { total: 1, items: [{ productId: 'p1', quantity: 1, lot: { tag: 'SECRET' } }] },
        },
      ]),
    )
    expect(drift).toEqual([
      {
        code: 'field_added',
        path: 'cart.items[].lot',
        detail: 'cart.items[].lot is new (object); first in record r1',
      },
    ])
    expect(JSON.stringify(drift)).not.toContain('SECRET')
  })

  test('a field that changes its kind is told with both kinds; a null is no kind', () => {
    expect(
      findDrift(shapeOf([sale]), shapeOf([{ ...sale, cart: { ...sale.cart, total: '12.50' } }])),
    ).toEqual([
      {
        code: 'field_retyped',
        path: 'cart.total',
        detail: 'cart.total is text, was number; first in record r0',
      },
    ])
    expect(
      codes(
        shapeOf([sale]),
        shapeOf([
          { ...sale, note: 'hello' },
          { ...sale, cart: null },
        ]),
      ),
    ).toEqual([])
  })

  test('a field that was always there is missed; one that came and went before is not', () => {
    expect(codes(shapeOf(times(100, sale)), shapeOf([{ id: 't2', note: null }]))).toEqual([
      'field_missing cart',
    ])
    expect(codes(shapeOf(times(99, sale)), shapeOf([{ id: 't2', note: null }]))).toEqual([])
    expect(
      codes(
        shapeOf([...times(200, sale), { id: 't0', note: null }]),
        shapeOf([{ id: 't2', note: null }]),
      ),
    ).toEqual([])
  })

  test('keys that are data, such as ids, are one place', () => {
    const byId = (id: string): unknown => ({ id: 'p1', quantities: { [id]: { quantity: 1 } } })
    expect(
      codes(
        shapeOf([byId('507f1f77bcf86cd799439011')]),
        shapeOf([byId('507f1f77bcf86cd799439012')]),
      ),
    ).toEqual([])
    expect(
      codes(
        shapeOf([byId('507f1f77bcf86cd799439011')]),
        shapeOf([{ id: 'p1', quantities: { total: 1 } }]),
      ),
    ).toEqual(['field_added quantities.total'])
    for (const person of ['john.doe@mail.example', 'John Doe', '+1 555 0100', 'x'.repeat(80)])
      expect(
        JSON.stringify(
          findDrift(
            shapeOf([byId('507f1f77bcf86cd799439011')]),
            shapeOf([{ id: 'p1', byMember: { [person]: 1 } }]),
          ),
        ),
      ).not.toContain(person)
  })

  test('what was learned is told once, and a record of a known shape never is', () => {
    fc.assert(
      fc.property(
        fc.array(fc.object({ maxDepth: 4 }), { minLength: 1, maxLength: 20 }),
        fc.array(fc.object({ maxDepth: 4 }), { maxLength: 20 }),
        (first, second) => {
          const known = shapeOf(first)
          const both = mergeShapes(known, shapeOf(second))
          const kept = JSON.parse(JSON.stringify(both)) as Shape
          expect(findDrift(kept, shapeOf(second))).toEqual([])
          expect(findDrift(both, shapeOf(first))).toEqual([])
          expect(both.count).toBe(first.length + second.length)
          expect(mergeShapes(known, JSON.parse(JSON.stringify(emptyShape())) as Shape)).toEqual(
            known,
          )
        },
      ),
    )
  })
})
