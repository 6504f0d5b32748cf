import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { recordTexts } from '../../../connectors/answer/record-texts.ts'
import { createPageReader } from '../../../connectors/partner/read-page.ts'
import type { Page } from '../../../connectors/partner/read-page.ts'
import { streams } from '../../../connectors/partner/streams/index.ts'
import { SECRET_FIELDS } from '../../../connectors/secret-fields.ts'
import { PartnerError } from '../../../errors.ts'
import { tickets } from '../../reading/list-server.ts'

const WINDOW = { startMs: 1000, endMs: 2001 }
const readPage = createPageReader(tickets)
const read = (text: string | Buffer): Page =>
  readPage(Buffer.isBuffer(text) ? text : Buffer.from(text), WINDOW)
const row = (id: string, modified = 1500): string =>
  `{"id":"${id}","modified":${modified},"created":1200}`
const SEEN = { id: 'a', modified: 1500, created: 1200, inside: true, times: [1500] }

function refusalOf(text: string | Buffer): PartnerError {
  try {
    read(text)
  } catch (error) {
    expect(error).toBeInstanceOf(PartnerError)
    return error as PartnerError
  }
  throw new Error('was accepted')
}

describe('an envelope', () => {
  it.each([
    [
      'values with total',
      `{"values":[${row('a')}],"skip":0,"limit":100,"total":7}`,
      7,
      '{values, total}',
      '$.values',
    ],
    [
      'searchResult with total',
      `{"count":1,"total":1,"searchResult":[${row('a')}]}`,
      1,
      '{searchResult, total}',
      '$.searchResult',
    ],
    [
      'results with a cursor',
      `{"count":1,"cursor":"x","results":[${row('a')}]}`,
      null,
      '{results, cursor} without total',
      '$.results',
    ],
    ['values alone', `{"values":[${row('a')}]}`, null, '{values, total} without total', '$.values'],
    ['a bare list', `[${row('a')}]`, null, 'a bare list without total', '$'],
    [
      'white space around it',
      `\n\t {"values":[${row('a')}],"total":1}\r\n`,
      1,
      '{values, total}',
      '$.values',
    ],
  ])('is known: %s', (_, text, total, envelope, listPath) => {
    expect(read(text)).toMatchObject({ rows: [SEEN], total, envelope, listPath })
  })

  it('may hold no rows', () => {
    for (const text of [
      '{"values":[],"total":0}',
      '{"values":null,"total":0}',
      '{"total":0,"searchResult":null}',
    ])
      expect(read(text)).toMatchObject({ rows: [], total: 0 })
    expect(read('[]')).toMatchObject({ rows: [], total: null })
  })

  it('that leaves its list away where the total is 0 holds no rows, and does not name itself', () => {
    for (const text of [
      '{"skip":0,"limit":100,"total":0}',
      '{"count":0,"total":"0"}',
      '{"total":0,"error":false}',
      '\n{ "total" : 0 }',
    ])
      expect(read(text)).toMatchObject({ rows: [], total: 0, envelope: undefined, unfit: [] })
  })

  it.each([
    ['a list that is null while the total is not', '{"values":null,"total":5}'],
    ['a list that is null without a total', '{"values":null}'],
    ['an object instead of a list', '{"values":{"id":"a"},"total":1}'],
    ['an unknown name', '{"items":[],"total":0}'],
    ['no list, and a total above 0', '{"skip":0,"limit":100,"total":5}'],
    ['no list, and no total', '{"skip":0,"limit":100}'],
    ['no list, and a count that is not the total', '{"count":3,"total":0}'],
    ['no list, and a list deeper inside', '{"data":{"values":[]},"total":0}'],
    ['no list, and a message', '{"message":"Ann","total":0}'],
    ['a record that has a total', '{"id":"a","total":0}'],
    ['no list, and a total that is an object', '{"total":{"values":[]}}'],
    ['no list', '{"oops":1}'],
    ['an empty object', '{}'],
    ['null', 'null'],
    ['a number', '42'],
    ['a text', '"values"'],
    ['two lists under one name', `{"values":[${row('a')}],"values":[${row('b')}],"total":2}`],
    ['two, one name escaped', `{"values":[${row('a')}],"v\\u0061lues":[]}`],
    ['two totals', `{"total":1,"values":[${row('a')}],"total":2}`],
    ['two in another place than before', `{"results":[${row('a')}],"results":[${row('b')}]}`],
  ])('is unknown, and never taken for an empty list: %s', (_, text) => {
    expect(refusalOf(text)).toMatchObject({ code: 'PARTNER_ENVELOPE', recovery: 'park' })
  })

  it('may have the same name in two of its objects, and twice inside of what is no list', () => {
    const beside = '"total":1,"page":{"total":9,"x":1,"x":2}'
    expect(read(`{"values":[${row('a')}],${beside}}`)).toMatchObject({ rows: [SEEN], total: 1 })
  })

  it('is told from an error body under status 200, whose content is not quoted', () => {
    for (const text of [
      '{"field":"startDate","message":"Ann","errorType":"BadRequest"}',
      '[{"field":"startDate","message":"Ann","errorType":"BadRequest"},{"field":null,"message":"x","errorType":"y"}]',
      '{"error":"Forbidden","message":"Ann","status":403}',
    ]) {
      const { code, message } = refusalOf(text)
      expect(code).toBe('PARTNER_ERROR_BODY')
      expect(message).toContain('an error body under status 200')
      expect(message).not.toContain('Ann')
    }
  })

  it('beside an error is an error body where it is empty, under any name and however it says so', () => {
    const errors = [
      '"errorType":"partner.exceptions.InternalException","message":"Ann"',
      '"error":"Internal Server Error","message":null',
      '"errorType":"Timeout"',
      '"field":"startDate","message":"Ann"',
      '"status":500',
    ]
    const lists = ['"values":[]', '"values":null', '"searchResult":[]', '"results":[]', '"skip":0']
    for (const error of errors)
      for (const list of lists) {
        const { code, message } = refusalOf(`{${error},${list},"total":0}`)
        expect(code, `${error} ${list}`).toBe('PARTNER_ERROR_BODY')
        expect(message).not.toContain('Ann')
      }
  })

  it('is a list where nothing says that it failed, and where there are rows', () => {
    for (const beside of [
      '"error":false,"message":"ok"',
      '"errorType":null,"error":null,"field":null,"message":null',
      '"error":"","status":200',
      '"status":"closed"',
    ])
      expect(read(`{${beside},"values":[],"total":0}`).rows).toEqual([])
    expect(read(`{"error":"slow","message":"x","values":[${row('a')}],"total":1}`).rows).toEqual([
      SEEN,
    ])
    expect(read(`{"values":[{"id":"a","error":"x","message":"y"}],"total":1}`).rows).toHaveLength(1)
  })

  it('of errors is an error body, and not a list of records without ids', () => {
    const errors = [
      '{"error":"Internal Server Error","message":"Ann","status":500}',
      '{"field":"startDate","message":"Ann","errorType":"BadRequest"}',
    ]
    for (const error of errors)
      for (const text of [
        `[${error}]`,
        `{"values":[${error}],"total":1}`,
        `{"results":[${error}]}`,
      ])
        expect(refusalOf(text).code, text).toBe('PARTNER_ERROR_BODY')
  })

  it.each(['7', '"7"', '7.0', '0.7e1'])('has the total that is written as %s', total => {
    expect(read(`{"values":[${row('a')}],"total":${total}}`).total).toBe(7)
  })

  it.each(['"seven"', '"-7"', '-1', '7.5', 'null', 'true', '[7]'])(
    'has no total where it is no whole number: %s',
    total => {
      expect(read(`{"values":[${row('a')}],"total":${total}}`).total).toBeNull()
    },
  )
})

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
