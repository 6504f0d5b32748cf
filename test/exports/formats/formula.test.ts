import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inWindows1252 } from '../../../exports/journal/formats/windows-1252.ts'
import { FORMULA_START, escapeFormula, unescapeFormula } from '../../../text/formula.ts'

describe('a text that a spreadsheet would take for a formula', () => {
  it.each([
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '＝1+1',
    '＋1',
    '－1',
    '＠x',
    '\u0000=1',
    '\n=1',
    ' =1',
    '\uFEFF=1',
    '\tx',
    '\nx',
  ])('gets an apostrophe: %j', text => {
    expect(escapeFormula(text)).toBe(`'${text}`)
  })

  it.each(['', 'a=1', '1', "it's", 'a\n=1', '\u0000a', ' a'])('and another text none: %j', text => {
    expect(escapeFormula(text)).toBe(text)
  })

  const texts = fc.string({ unit: fc.constantFrom("'", '=', '＝', '-', ' ', '\n', '\t', 'a', '1') })

  it('is given back as it was, by our reader and by the one in DuckDB', async () => {
    fc.assert(fc.property(texts, text => unescapeFormula(escapeFormula(text)) === text))
    const connection = await (await DuckDBInstance.create(':memory:')).connect()
    const sql = `SELECT regexp_replace($1, '^''(${FORMULA_START.replaceAll("'", "''")})', '\\1')`
    for (const text of fc.sample(texts, 200)) {
      const [[read]] = (await (await connection.run(sql, [escapeFormula(text)])).getRows()) as [
        [string],
      ]
      expect(read).toBe(text)
    }
  })
})

it('a full-width quote is a quote before IIF takes quotes out', () => {
  expect(inWindows1252('＂ş＝漢')).toBe('"s=_')
})
