import Database from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createAnswerWalker } from '../../../connectors/partner/walk-answer.ts'
import type { Walked } from '../../../connectors/partner/walk-answer.ts'
import { boolean, decimal, integer, text, timestamp } from '../../../connectors/stream.ts'
import { salesStream } from '../sqlite/sales-stream.ts'

const sales = salesStream(
  {
    ...text('id', 'note'),
    ...timestamp('modified'),
    ...decimal('cart.total'),
    ...integer('line'),
    ...boolean('open'),
  },
  { sale_items: { path: 'cart.items', columns: decimal('price') } },
)
const walk = createAnswerWalker(sales)
const walked = (json: string): Walked | undefined => walk(Buffer.from(json), '$')
const doubtful = (...records: string[]): number[] => walked(`[${records.join(',')}]`)!.doubtful

describe('what is JSON to the letter', () => {
  const isStrict = new Database(':memory:').prepare('SELECT json_valid(?, 1)').pluck()
  const pieces = fc.constantFrom(
    ...'{ } [ ] , : " "" "a" "\\u00e9" "\\x" "\\u12" \'a\' a "a":1 [1] {"a":[]} /**/'.split(' '),
    ...'0 - -0 01 1. .5 1.5 1e5 1e 1E+2 +1 0x1F Infinity NaN true null nul truex'.split(' '),
    '"\t"',
    ' ',
    '\n',
    '\u00a0',
  )

  test('is told as SQLite tells it, of whatever is put together', () => {
    const loose = fc.array(pieces, { maxLength: 7 }).map(parts => parts.join(''))
    const nearly = fc
      .tuple(fc.json({ maxDepth: 3 }), fc.nat(), pieces, fc.constantFrom(0, 1))
      .map(([json, at, piece, cut]) => {
        const place = at % (json.length + 1)
        return json.slice(0, place) + piece + json.slice(place + cut)
      })
    fc.assert(
      fc.property(fc.oneof(loose, nearly, fc.json()), json => {
        expect(walked(json) !== undefined).toBe(isStrict.get(json) === 1)
      }),
      { numRuns: 5000 },
    )
  })

  test('also where it is deep, and where it ends too early', () => {
    expect(walked(`${'['.repeat(900)}${']'.repeat(900)}`)).toBeDefined()
    const whole = '{"values":[{"id":"a","x":[1.5e3,true,"\\u00e9"]}]}'
    for (let end = 0; end < whole.length; end++) expect(walked(whole.slice(0, end))).toBeUndefined()
  })
})

describe('a record is doubtful', () => {
  test('where a key comes twice, however it is spelled and wherever it is', () => {
    expect(
      doubtful(
        '{"id":"a","note":"x"}',
        '{"id":"b","note":1,"note":2}',
        '{"id":"c","other":{"deep":[{"x":1},{"x":1,"x":2}]}}',
        '{"id":"d","n\\u006fte":1}',
        '{"id":"e","1":1,"2":2}',
        '{"id":"f","1":1,"1":2}',
        `{"id":"g","x":${'['.repeat(30)}{"y":1,"y":2}${']'.repeat(30)}}`,
        '{"id":"h","other":{"deep":[{"x":1},{"x":2}]}}',
      ),
    ).toEqual([1, 2, 3, 5, 6])
  })

  test('where a value may not fit its declaration, and else not', () => {
    const fine = [
      '{"id":7,"note":[1],"modified":null,"line":-1,"open":false,"cart":null}',
      '{"id":"a","modified":-999999999999,"cart":{"total":0.10,"items":null}}',
      '{"id":"a","cart":{"total":123456789012345678901234567890,"items":[{"price":1}]}}',
      '{"id":"a","cart":[{"total":"x"}]}',
    ]
    expect(doubtful(...fine)).toEqual([])
    const odd = [
      '{"id":""}',
      '{"id":null}',
      '{"id":1.5}',
      '{"id":"a","modified":"1"}',
      '{"id":"a","modified":1.5}',
      '{"id":"a","modified":99999999999999}',
      '{"id":"a","line":true}',
      '{"id":"a","open":1}',
      '{"id":"a","cart":{"total":1e2}}',
      '{"id":"a","cart":{"total":"1.50"}}',
      '{"id":"a","cart":{"items":{}}}',
      '{"id":"a","cart":{"items":["x"]}}',
      '{"id":"a","cart":{"items":[{"price":{}}]}}',
      '[]',
      '5',
    ]
    expect(doubtful(...odd)).toEqual(odd.map((_, index) => index))
  })
})

test('whether there may be a secret is told of any object of the answer', () => {
  const holds = (json: string): boolean => walked(json)!.mayHoldSecrets
  expect(holds('[{"id":"a","note":"password","pins":1,"cart":{"x":"pin"}}]')).toBe(false)
  expect(holds('[{"id":"a","cart":{"x":[{"PIN":1}]}}]')).toBe(true)
  expect(holds('[{"id":"a","p\\u0069n":1}]')).toBe(true)
  expect(holds('{"values":[{"id":"a"}],"apiKey":"x"}')).toBe(true)
  const many = Array.from({ length: 500 }, (_, index) => `"name${index}":1`).join(',')
  expect(holds(`[{"id":"a","many":{${many}}}]`)).toBe(false)
  expect(holds('[{"id":"a","many":{"password":1}}]')).toBe(true)
})
