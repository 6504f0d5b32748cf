import Database from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SECRET_FIELDS } from '../../../connectors/answer/places.ts'
import { createAnswerWalker } from '../../../connectors/answer/walk-answer.ts'
import type { Walked } from '../../../connectors/answer/walk-answer.ts'
import { cellTables, unpackCells } from '../../../connectors/cells.ts'
import { boolean, decimal, integer, text, timestamp } from '../../../connectors/stream.ts'
import { sized } from '../../helpers/size.ts'
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
      { numRuns: sized(2_000, 100_000) },
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

describe('cells', () => {
  const cellsIn = (json: string): string[][] | undefined => {
    const { cells, secrets } = walked(json)!
    if (cells === undefined) return undefined
    const text = secrets.cutOut(Buffer.from(json))
    return unpackCells(cells, cellTables(sales)).flatMap(({ at, rows, width }, table) =>
      Array.from({ length: rows }, (_, row) => {
        const [head, ...pairs] = chunk(cells.subarray(at + row * width, at + (row + 1) * width))
        const first =
          table > 0
            ? `line of ${head![0]}: ${text.toString('utf8', head![1], head![1] + 2)}`
            : text.toString('utf8', ...head!)
        return [first, ...pairs.map(([start, end]) => text.toString('utf8', start, end))]
      }),
    )
  }
  const chunk = (numbers: Int32Array): [number, number][] =>
    Array.from({ length: numbers.length / 2 }, (_, at) => [numbers[2 * at]!, numbers[2 * at + 1]!])

  test('say where the values of each record and line stand, behind secrets that were cut out, too', () => {
    const first = '{"id":"a","cart":{"items":[{"price":1.50},{"pin":3},{"price":null}],"total":2}}'
    const lines = '[{"price":1.50},{},{"price":null}]'
    const second = '{"pin":1,"id":"é","open":true,"x":{"pin":{"a":1}},"modified":5,"note":null}'
    expect(cellsIn(`[${first},${second}]`)).toEqual([
      [first.replace('"pin":3', ''), '"a"', '', '', '2', '', '', lines],
      [
        '{"id":"é","open":true,"x":{},"modified":5,"note":null}',
        '"é"',
        '',
        '5',
        '',
        '',
        'true',
        '',
      ],
      ['line of 0: {"', '1.50'],
      ['line of 0: {}', ''],
      ['line of 0: {"', ''],
    ])
  })

  test('are not known where there is space between the tokens, which nothing stored has', () => {
    expect(cellsIn('[{"id":"a b"}] ')).toEqual([['{"id":"a b"}', '"a b"', '', '', '', '', '', '']])
    for (const json of ['[{"id": "a"}]', '[{"id":"a" }]', '[ {"id":"a"}]', '[{},\n{}]'])
      expect(cellsIn(json)).toBeUndefined()
  })
})

describe('secret fields', () => {
  const cut = (json: string): string =>
    walked(json)!.secrets.cutOut(Buffer.from(json)).toString('utf8')

  test('are cut out of any object of the answer, and nothing else is', () => {
    const many = Array.from({ length: 500 }, (_, index) => `"name${index}":1`).join(',')
    const deep = (inner: string): string => `[${'['.repeat(40)}{${inner}}${']'.repeat(40)}]`
    for (const [json, left] of [
      ['[{"id":"a","note":"password","pins":1,"cart":{"x":"pin"}}]', undefined],
      [`[{"id":"a","many":{${many}}}]`, undefined],
      ['[{"id":"a","cart":{"x":[{"PIN":1}]}}]', '[{"id":"a","cart":{"x":[{}]}}]'],
      ['[{"id":"a","p\\u0069n":1}]', '[{"id":"a"}]'],
      ['{"values":[{"id":"a"}],"apiKey":"x"}', '{"values":[{"id":"a"}]}'],
      [`[{"many":{${many},"password":1}}]`, `[{"many":{${many}}}]`],
      [deep('"pin":1,"a":2'), deep('"a":2')],
      ['[{"pin":1,"secret":{"pin":2},"a":3,"pin":4,"b":5}]', '[{"a":3,"b":5}]'],
      ['[{"a":1,"a":{"pin":2}}]', '[{"a":1,"a":{}}]'],
    ] as const)
      expect(cut(json)).toBe(left ?? json)
  })

  test('go as SQLite takes them out, however the objects are spelled', () => {
    const memory = new Database(':memory:')
    const names = SECRET_FIELDS.map(name => `'${name.toLowerCase()}'`).join(', ')
    const paths = memory
      .prepare<[string], string>(`SELECT fullkey FROM json_tree(?) WHERE lower(key) IN (${names})`)
      .pluck()
    const remove = memory.prepare<[string, string], string>('SELECT json_remove(?, ?)').pluck()
    const json = memory.prepare<[string], string>('SELECT json(?)').pluck()
    const withoutSecrets = (text: string): string =>
      paths.all(text).reduce((left, path) => remove.get(left, path)!, json.get(text)!)
    const space = fc.constantFrom('', '', ' ', '\n\t')
    const key = fc.constantFrom(
      ...'id pin PIN p\\u0069n password apikey kin a.b é note'.split(' '),
      '',
    )
    // A path leads to the first of two fields of one name, so what stays must not come twice.
    const fields = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<(readonly [string, T])[]> =>
      fc.array(fc.tuple(key, of), { maxLength: 6 }).map(all => {
        const isFirst = (name: string, at: number): boolean =>
          all.findIndex(([other]) => other === name) === at
        return all.filter(([name], at) => name.startsWith('p') || isFirst(name, at))
      })
    const plain = fc.constantFrom('1', '-0.10', 'null', '"pin"', '"x\\"pin\\":1"', 'true')
    const { value } = fc.letrec<{ value: string }>(tie => ({
      value: fc.oneof(
        { maxDepth: 4, depthSize: 'large' },
        plain,
        fc.array(tie('value'), { maxLength: 3 }).map(items => `[${items.join(',')}]`),
        fc
          .tuple(space, fields(tie('value')))
          .map(([gap, all]) => all.map(([name, one]) => `${gap}"${name}"${gap}:${gap}${one}`))
          .map(all => `{${all.join(',')}}`),
      ),
    }))
    fc.assert(
      fc.property(value, text => {
        expect(json.get(cut(text))).toBe(withoutSecrets(text))
      }),
      { numRuns: sized(1_000, 50_000) },
    )
  })
})
