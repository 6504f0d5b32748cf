import fc from 'fast-check'
import { writeToString } from 'fast-csv'
import { expect, it } from 'vitest'
import { escapeFormula } from '../../text/formula.ts'
import { csvCell, csvRow } from '../../text/write-csv.ts'

/** What CSV, its readers and Excel treat in their own way, and a letter. */
const cell = fc.string({
  unit: fc.constantFrom(...'a0,"|;\r\n\t =+-@\'\0ñ🌿\uFEFF＝'),
  maxLength: 6,
})

const QUOTINGS = ['where needed', 'a bar too', 'blanks at an end too'] as const

it('cells are quoted as fast-csv does it, which wrote the files that were given out before', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(cell, { minLength: 1, maxLength: 5 }), async row => {
      const options = { rowDelimiter: '\r\n', includeEndRowDelimiter: true }
      // It takes a list of pairs for something else.
      const written = csvRow(
        row.map(asIs => ({ asIs })),
        'a bar too',
      )
      expect(`${written}\r\n`).toBe(await writeToString([row], options))
    }),
    { numRuns: 500 },
  )
})

it('texts of others are guarded before they are quoted, whatever stands in front', () => {
  fc.assert(
    fc.property(cell, text => {
      const guarded = escapeFormula(text.replaceAll('\0', ''))
      for (const quoting of QUOTINGS)
        expect(csvCell(text, quoting)).toBe(csvCell({ asIs: guarded }, quoting))
    }),
    { numRuns: 2000 },
  )
  expect(csvRow(['a,b', '=1', 'a|b', '-1\n'], 'a bar too')).toBe(`"a,b",'=1,"a|b","'-1\n"`)
})

it('no rule leaves a cell without quotes that needs them, and each quotes what it says besides', () => {
  const cells = ['a"b', 'a,b', 'a\rb', 'a\nb', 'a|b', ' a', 'a ', 'a b']
  const quotedBy = QUOTINGS.map(quoting =>
    cells.filter(one => csvCell(one, quoting).startsWith('"')).slice(4),
  )
  expect(quotedBy).toEqual([[], ['a|b'], [' a', 'a ']])
  for (const quoting of QUOTINGS)
    for (const one of cells.slice(0, 4))
      expect(csvCell(one, quoting)).toBe(`"${one.replaceAll('"', '""')}"`)
})
