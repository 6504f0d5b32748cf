import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createAnswerWalker } from '../../../connectors/answer/walk-answer.ts'
import { emptyShape } from '../../../connectors/shape.ts'
import type { Shape } from '../../../connectors/shape.ts'
import { decimal, text, timestamp } from '../../../connectors/stream.ts'
import { startWatch, watchAnswer, watchedShape } from '../../../reading/reading.ts'
import { observe } from '../../helpers/observe-shape.ts'
import { salesStream } from '../sqlite/sales-stream.ts'

interface Named {
  id: string
}
const observed = (records: readonly Named[]): Shape => {
  const shape = emptyShape()
  for (const record of records) observe(shape, record, record.id)
  return shape
}
/** Some of its fields are among the names below. */
const sales = salesStream(
  { ...text('id', 'é'), ...timestamp('modified'), ...decimal('a.b') },
  { sale_items: { path: 'values', columns: decimal('a') } },
)
const walk = createAnswerWalker(sales)
const idsIn = (answer: string, listPath: string): string[] => {
  const parsed = JSON.parse(answer) as Named[] & { values: Named[] }
  return (listPath === '$' ? parsed : parsed.values).map(({ id }) => id)
}
/** The tree of places grows from one test to the next, as it does from one window to the next. */
const watched = (answers: readonly string[], listPath = '$.values'): Shape => {
  const watch = startWatch()
  for (const answer of answers) {
    const ids = idsIn(answer, listPath)
    const walked = walk(Buffer.from(answer), listPath)!
    expect(walked.records).toBe(ids.length)
    watchAnswer(watch, walked, position => ids[position]!)
  }
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

  test('counts records of more fields than it tells apart', () => {
    const list = Array.from({ length: 1500 }, (_, index) => ({
      id: `r${index % 700}`,
      inner: { [`key${index % 350}`]: 1, [`other${index % 700}`]: 1 },
    }))
    const inner = watched([JSON.stringify(list)], '$').fields['inner']!
    expect(inner).toMatchObject({ count: 1500, objects: 1500 })
    const fields = Object.values(inner.fields)
    expect(fields.length).toBeLessThan(402)
    expect(fields.reduce((sum, { count }) => sum + count, 0)).toBe(3000)
  })
})
