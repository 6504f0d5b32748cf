import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { recordTexts } from '../../../connectors/answer/judge-records.ts'
import { SECRET_FIELDS } from '../../../connectors/answer/places.ts'
import { createPageReader } from '../../../connectors/partner/read-page.ts'
import type { Page } from '../../../connectors/partner/read-page.ts'
import { streams } from '../../../connectors/partner/streams/index.ts'
import { tickets } from '../../reading/list-server.ts'
import { WINDOW, read, refusalOf, row } from './one-page.ts'

describe('an id', () => {
  it('is a text, or a whole number with each of its digits; anything else is none', () => {
    const ids = (...tokens: string[]): string[] =>
      read(`[${tokens.map(token => `{"id":${token}}`).join(',')}]`).rows.map(({ id }) => id)
    expect(ids('"a"', '"12345678901234567890"', '12345678901234567891', '7')).toEqual([
      'a',
      '12345678901234567890',
      '12345678901234567891',
      '7',
    ])
    for (const id of ids('true', '7.5', '{"x":1}', '["a"]', 'null', '""'))
      expect(id).toMatch(/^no-id:/)
  })
})

describe('what is not JSON', () => {
  it('is told from JSON that is nested too deep for a table', () => {
    const deep = `${'['.repeat(1200)}${']'.repeat(1200)}`
    expect(refusalOf(`{"values":[{"id":"a","x":${deep}}],"total":1}`)).toMatchObject({
      code: 'PARTNER_ENVELOPE',
      message: expect.stringContaining('nested deeper') as string,
    })
    expect(refusalOf(`{"values":[${row('a')}],"total":1,"x":${deep}}`).code).toBe(
      'PARTNER_ENVELOPE',
    )
    expect(refusalOf(`{"values":[{"id":"a","x":${deep.slice(0, -1)}}],"total":1}`).code).toBe(
      'PARTNER_TRUNCATED',
    )
  })

  it('is an HTML page', () => {
    for (const text of ['<!doctype html><html></html>', '\n  <html>Ann</html>']) {
      const error = refusalOf(text)
      expect(error).toMatchObject({ code: 'PARTNER_NOT_API', recovery: 'retry' })
      expect(error.message).not.toContain('Ann')
    }
  })

  it('is cut off, at every single byte', () => {
    const whole = `{"values":[${row('a')},${row('b')}],"total":2}`
    for (let length = 0; length < whole.length; length++)
      expect(refusalOf(whole.slice(0, length)).code, whole.slice(0, length)).toBe(
        'PARTNER_TRUNCATED',
      )
  })

  it.each([
    ['a comma too many', `{"values":[${row('a')},],"total":1}`],
    ['names without quotes', '{values:[],total:0}'],
    ['single quotes', "{'values':[],'total':0}"],
    ['NaN', '{"values":[{"id":"a","modified":NaN}],"total":1}'],
    ['a hexadecimal number', '{"values":[],"total":0x0}'],
    ['a comment', '{"values":[],"total":0} // none'],
    ['two documents', '{"values":[],"total":0}{"values":[],"total":0}'],
    ['a line', 'Service temporarily unavailable'],
    ['binary data', Buffer.from([0x1f, 0x8b, 0, 255, 254, 0])],
  ])('is refused although a lenient parser may take it: %s', (_, text) => {
    expect(refusalOf(text).code).toBe('PARTNER_TRUNCATED')
  })

  it('does not let binary JSON in as if it were text', () => {
    const jsonb = new Database(':memory:').prepare('SELECT jsonb(?)').pluck()
    const body = jsonb.get(`{"values":[${row('a')}],"total":1}`) as Buffer
    expect(refusalOf(body).code).toBe('PARTNER_TRUNCATED')
  })
})

describe('a row', () => {
  const only = (record: string) => read(`{"values":[${record}],"total":1}`).rows[0]!

  it('is known by its id, as text', () => {
    expect(only('{"id":"a"}').id).toBe('a')
    expect(only('{"id":7}').id).toBe('7')
    expect(only('{"id":12345678901234567}').id).toBe('12345678901234567')
  })

  it('is known by its own content where it has no id, so that two such rows are told apart', () => {
    const rows = read(
      '{"values":[{"name":"x"},{"name":"y"},{"name":"x"},{"id":"","name":"x"},{"id":null,"name":"x"}],"total":5}',
    ).rows.map(({ id }) => id)
    for (const id of rows) expect(id).toMatch(/^no-id:[0-9a-f]{24}$/)
    expect(rows[0]).toBe(rows[2])
    expect(new Set(rows).size).toBe(4)
  })

  it.each(['null', '1', '"x"', '"{\\"id\\":\\"a\\"}"', '[]', 'true'])(
    'is an object, or the answer is unknown: %s',
    item => {
      expect(refusalOf(`{"values":[${row('a')},${item}],"total":2}`)).toMatchObject({
        code: 'PARTNER_ENVELOPE',
      })
      expect(read(`{"values":[${row('a')},{}],"total":2}`).rows).toHaveLength(2)
    },
  )

  it('lies inside by any of its event times, at the start included and at the end left out', () => {
    const cases: [string, boolean][] = [
      ['"modified":1000', true],
      ['"modified":2000', true],
      ['"modified":2001', false],
      ['"modified":999', false],
      ['"modified":5,"completedTime":1500', true],
      ['"modified":5,"created":1500', false],
      ['"modified":null', true],
      ['"modified":"1500"', true],
    ]
    for (const [fields, inside] of cases)
      expect(only(`{"id":"a",${fields}}`).inside, fields).toBe(inside)
  })

  it('has no modified time where it is not a number', () => {
    expect(only('{"id":"a","modified":"yesterday"}').modified).toBeNull()
    expect(only('{"id":"a"}').modified).toBeNull()
  })
})

describe('a secret field', () => {
  const recordsOf = (page: Page): string[] => recordTexts(tickets, page)

  it.each([
    ['in a record', '"password":"hunter2"', ''],
    ['in any case', '"PIN":4711', ''],
    [
      'inside other fields',
      '"shops":[{"name":"a","pin":"4711"},{"pin":null}]',
      '"shops":[{"name":"a"},{}]',
    ],
    ['with letters escaped', String.raw`"p\u0069n":"4711"`, ''],
    ['twice in an object', '"pin":"1","pin":"4711"', ''],
    ['that is an object', '"password":{"hash":"4711"}', ''],
    [
      'before digits that no number holds',
      '"pin":"4711","total":1.10000000000000000001',
      '"total":1.10000000000000000001',
    ],
  ])('is dropped before anything is written: %s', (_, fields, left) => {
    const rest = left === '' ? '' : `,${left}`
    for (const [head, tail] of [
      ['{"values":[', '],"total":1}'],
      ['[', ']'],
    ]) {
      const page = read(`${head}{"id":"a","modified":1500,${fields}}${tail}`)
      expect(recordsOf(page)).toEqual([`{"id":"a","modified":1500${rest}}`])
      expect(Buffer.from(page.text.json).includes('4711')).toBe(false)
      expect(Buffer.from(page.text.json).includes('hunter2')).toBe(false)
    }
  })

  it('is told by its whole name: other fields stay', () => {
    const record =
      '{"id":"a","modified":1500,"pinned":true,"lastPasswordChangedOn":7,"note":"pin: no"}'
    expect(recordsOf(read(`{"values":[${record}],"total":1}`))).toEqual([record])
  })

  it('goes from every record of a page, more than one call of SQLite takes', () => {
    const records = Array.from({ length: 700 }, (_, n) => ({
      id: `t${n}`,
      modified: 1500,
      lines: [{ seller: { pin: String(n), PIN: 1 } }, { name: 'kept', passcode: null }],
    }))
    const left = recordsOf(read(JSON.stringify({ values: records, total: 700 })))
    expect(left).toEqual(
      records.map(({ id, modified }) =>
        JSON.stringify({ id, modified, lines: [{ seller: {} }, { name: 'kept' }] }),
      ),
    )
  })

  it('is no column of any stream', () => {
    const secret = new Set(SECRET_FIELDS.map(name => name.toLowerCase()))
    const paths = streams.flatMap(({ columns, children }) =>
      [columns, ...Object.values(children).map(child => child.columns)].flatMap(all =>
        Object.values(all).map(({ path }) => path),
      ),
    )
    expect(
      paths.filter(path => path.split('.').some(part => secret.has(part.toLowerCase()))),
    ).toEqual([])
  })
})

describe('the text of an answer', () => {
  const textOf = (page: Page): string => Buffer.from(page.text.json).toString()

  it('has no space between its tokens, and every digit and escape as it came', () => {
    const page = read(' { "values" : [ { "id" : "a b\\u0020c" , "n" : 1.50e0 } ,\n {} ] } ')
    expect(textOf(page)).toBe('{"values":[{"id":"a b\\u0020c","n":1.50e0},{}]}')
    expect(recordTexts(tickets, page)).toEqual(['{"id":"a b\\u0020c","n":1.50e0}', '{}'])
  })

  it('holds a single record in a list of one', () => {
    const one = { ...tickets, answers: { record: 'ticket' } }
    const answer = Buffer.from('{"ticket":{"id":"a","n":1.50},"total":1,"pin":"4711"}')
    const page = createPageReader(one)(answer, WINDOW)
    expect(recordTexts(one, page)).toEqual(['{"id":"a","n":1.50,"total":1}'])
  })

  it('is there for a list of many megabytes, too', () => {
    const long = 'x'.repeat(2_000_000)
    const records = [1, 2, 3, 4, 5, 6].map(id => `{"id":"${id}","note":"${long}"}`)
    expect(recordTexts(tickets, read(`[${records.join(',')}]`))).toEqual(records)
  })
})

describe('a time that comes as the text of a number', () => {
  const textual = (id: string, modified: string): string =>
    `{"id":"${id}","modified":"${modified}","created":"1200"}`

  it('puts its record where a number would: inside the window, or outside of it', () => {
    const { rows } = read(`{"values":[${textual('a', '1500')},${textual('b', '9000')}]}`)
    expect(rows).toMatchObject([
      { id: 'a', modified: 1500, created: 1200, inside: true },
      { id: 'b', modified: 9000, inside: false },
    ])
  })

  it('is none where the text is no number', () => {
    const { rows } = read(`{"values":[${textual('a', '2026-03-01')}]}`)
    expect(rows).toMatchObject([{ id: 'a', modified: null }])
  })
})
