import fc from 'fast-check'
import { writeToString } from 'fast-csv'
import { expect, it } from 'vitest'
import { csvCell, csvHeader, csvText } from '../../text/csv-row.ts'
import { escapeFormula } from '../../text/formula.ts'

/** What CSV, its readers and Excel treat in their own way, and a letter. */
const cell = fc.string({
  unit: fc.constantFrom(...'a0,"|;\r\n\t =+-@\'\0ñ🌿\uFEFF＝'),
  maxLength: 6,
})

it('cells are quoted as fast-csv does it, which wrote the files that were given out before', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(cell, { minLength: 1, maxLength: 5 }), async row => {
      const options = { rowDelimiter: '\r\n', includeEndRowDelimiter: true }
      // It takes a list of pairs for something else.
      expect(csvHeader(row.map(name => ({ name })))).toBe(await writeToString([row], options))
    }),
    { numRuns: 500 },
  )
})

it('texts of others are guarded before they are quoted, whatever stands in front', () => {
  fc.assert(
    fc.property(cell, text => {
      expect(csvText(text)).toBe(csvCell(escapeFormula(text.replaceAll('\0', ''))))
    }),
    { numRuns: 2000 },
  )
  expect([csvText('a,b'), csvText('=1'), csvText('a|b'), csvText('-1\n')]).toEqual([
    '"a,b"',
    "'=1",
    '"a|b"',
    '"\'-1\n"',
  ])
})
