import { describe, expect, it } from 'vitest'
import { read, refusalOf, row, SEEN } from './one-page.ts'

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
      '"status":"503"',
      '"statusCode":500',
      '"code":500',
      '"success":false',
      '"errors":"database is away"',
    ]
    const lists = ['"values":[]', '"values":null', '"searchResult":[]', '"results":[]', '"skip":0']
    for (const error of errors)
      for (const list of lists) {
        const { code, message } = refusalOf(`{${error},${list},"total":0}`)
        expect(code, `${error} ${list}`).toBe('PARTNER_ERROR_BODY')
        expect(message).not.toContain('Ann')
      }
    for (const several of ['["database is away"]', '{"0":"database is away"}'])
      expect(refusalOf(`{"errors":${several},"values":[],"total":0}`).code).toBe(
        'PARTNER_ERROR_BODY',
      )
  })

  it('is a list where nothing says that it failed, and where there are rows', () => {
    for (const beside of [
      '"error":false,"message":"ok"',
      '"errorType":null,"error":null,"field":null,"message":null',
      '"error":"","status":200',
      '"status":"closed"',
      '"errors":[],"success":true,"code":0',
      '"errors":{},"code":"200","statusCode":200',
      '"errors":null,"code":1000,"success":null',
      '"errors":0,"code":"OK"',
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
