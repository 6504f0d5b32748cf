import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  forEachRecord,
  startWatch,
  watchAnswer,
  watchedShape,
} from '../../../connectors/partner/shape-watch.ts'
import { emptyShape, observe } from '../../../connectors/shape.ts'
import type { Shape } from '../../../connectors/shape.ts'

interface Named {
  id: string
}
const observed = (records: readonly Named[]): Shape => {
  const shape = emptyShape()
  for (const record of records) observe(shape, record, record.id)
  return shape
}
const watched = (answers: readonly string[], listPath = '$.values'): Shape => {
  const watch = startWatch()
  for (const answer of answers) watchAnswer(watch, Buffer.from(answer), listPath)
  return watchedShape(watch)
}

/**
 * Few names and values, so that records are often built alike, and texts that look like structure.
 */
const texts = fc.oneof(
  fc.constantFrom('', '"', '\\', '\\"', '{"a":1}', '],[', 'é€😀', 'values'),
  fc.string({ unit: 'binary', maxLength: 4 }),
)
/**
 * No name holds a backslash: after one that does, V8 13.6 reads the name "\\n" as a backslash, in
 * JSON.parse itself.
 */
const names = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('a', 'b', 'values', 'é', 'a"b', '\n', '\t') },
  { weight: 1, arbitrary: texts.filter(name => !name.includes('\\')) },
)
const { value } = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    texts,
    fc.constantFrom(0, -1, 1.5, -2e-7, 1e21, 12),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 4 }),
  ),
}))
const records = fc
  .array(fc.dictionary(names, value, { maxKeys: 4 }), { maxLength: 12 })
  .map(list => list.map((record, index): Named => ({ ...record, id: `r${index}` })))

describe('the shape of the records of answers', () => {
  test('is the one that parsing each of them shows, whatever is in them and however it is spaced', () => {
    fc.assert(
      fc.property(records, fc.constantFrom(0, 1, '\t'), fc.nat(12), (list, indent, cut) => {
        const expected = observed(list)
        const bare = [list.slice(0, cut), list.slice(cut)].map(part =>
          JSON.stringify(part, null, indent),
        )
        expect(watched(bare, '$')).toEqual(expected)
        const wrapped = {
          before: [{ not: 'a record' }],
          inner: { values: [{ nor: 'this' }] },
          values: list,
          after: [{ values: [1] }],
        }
        expect(watched([JSON.stringify(wrapped, null, indent)])).toEqual(expected)
      }),
      { numRuns: 2000 },
    )
  })

  test('shows one record in a thousand that is built another way, and names it', () => {
    const sale = (id: string, lot: object): object => ({
      id,
      cart: { items: [{ quantity: 1, lots: [lot] }] },
    })
    const list = Array.from({ length: 1000 }, (_, index) =>
      sale(`s${index}`, index === 777 ? { tag: 1, harvest: null } : { tag: 1 }),
    )
    const lot = watched([JSON.stringify(list)], '$').fields['cart']!.fields['items']!.items!.fields[
      'lots'
    ]!.items!
    expect(lot.fields['harvest']).toMatchObject({ count: 1 })
    expect(lot.fields['tag']).toMatchObject({ count: 1000, kinds: { number: 's0' } })
    const retyped = list.map((record, index) =>
      index === 778 ? sale('s778', { tag: '1' }) : record,
    )
    expect(
      watched([JSON.stringify(retyped)], '$').fields['cart']!.fields['items']!.items!.fields[
        'lots'
      ]!.items!.fields['tag']!.kinds,
    ).toEqual({ number: 's0', text: 's778' })
  })

  test('counts records of more kinds than it remembers', () => {
    const list = Array.from({ length: 1500 }, (_, index) => ({
      id: `r${index % 700}`,
      [`key${index % 350}`]: 1,
      [`other${index % 700}`]: 1,
    }))
    expect(watched([JSON.stringify(list)], '$').count).toBe(1500)
    expect(watched([JSON.stringify(list)], '$').objects).toBe(1500)
  })

  test('parses the first of each kind and no other: records that are built alike have one signature', () => {
    const signatures = (json: string): number[] => {
      const found: number[] = []
      forEachRecord(Buffer.from(json), undefined, signature => found.push(signature))
      return found
    }
    expect(
      new Set(signatures('[{"id":"a","n":1.5e3,"t":true},{"id":"other","n":-2,"t":false}]')).size,
    ).toBe(1)
    const different = [
      '{"a":1}',
      '{"b":1}',
      '{"a":"1"}',
      '{"a":null}',
      '{"a":true}',
      '{"a":[1]}',
      '{"a":[1,1]}',
      '{"a":{}}',
      '{"a":[]}',
      '{"a":1,"b":1}',
      '{"a":{"b":1}}',
      '{"ab":1}',
      '{"a\\n":1}',
      '{"a\\t":1}',
      '{}',
    ]
    expect(new Set(signatures(`[${different.join(', ')}]`)).size).toBe(different.length)
  })
})
