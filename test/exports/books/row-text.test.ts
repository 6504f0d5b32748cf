import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Cell } from '../../../exports/books/columns.ts'
import { csvPutter, putCsvRow, putJsonRow } from '../../../exports/books/row-text.ts'
import { ByteText } from '../../../exports/formats/byte-text.ts'
import { isoUtc } from '../../../exports/formats/cells.ts'
import { csvText } from '../../../exports/formats/csv-row.ts'

const text = fc.oneof(
  fc.string(),
  fc.string({
    unit: fc.constantFrom(...'a0,"|\\;\r\n\t =+-@\'\0ñ🌿\uD800\uFEFF＝\u007F'),
    maxLength: 6,
  }),
)
const ms = fc.oneof(
  fc.integer({ min: -8.64e15, max: 8.64e15 }),
  fc.integer({ min: 1.7e12, max: 1.8e12 }),
  fc.double({ min: -8.64e15, max: 8.64e15, noNaN: true }),
)
const cells = fc.array(fc.oneof(text, ms, fc.double(), fc.constant(null)), {
  minLength: 1,
  maxLength: 8,
})

const bytesOf = (write: (out: ByteText) => void): string => {
  const out = new ByteText()
  out.put('before ')
  write(out)
  return Buffer.from(out.take()).toString().slice('before '.length)
}

test('a row in JSON is what JSON.stringify makes of it', () => {
  fc.assert(
    fc.property(fc.array(cells, { maxLength: 3 }), rows => {
      const written = bytesOf(out => rows.forEach(row => putJsonRow(out, row)))
      expect(written).toBe(rows.map(row => JSON.stringify(row)).join(''))
    }),
    { numRuns: 500 },
  )
})

test('what no file holds is noticed in a row', () => {
  const fits = (...row: Cell[]): boolean => putJsonRow(new ByteText(), row)
  expect([fits('a', 1, null), fits('ñ "🌿"'), fits('n\0ul'), fits(1, 'half \uD800')]).toEqual([
    true,
    true,
    false,
    false,
  ])
})

test('a row in CSV has the cells of each kind as other exports write them, and nothing for NULL', () => {
  const putters = (['text', 'timestamp', 'decimal', 'boolean', 'integer'] as const).map(csvPutter)
  fc.assert(
    fc.property(fc.array(fc.tuple(text, ms), { minLength: 1, maxLength: 4 }), rows => {
      const written = bytesOf(out => {
        for (const [word, time] of rows) putCsvRow(out, [word, time, '-1.50', 1, null], putters)
      })
      const expected = rows.map(
        ([word, time]) => `${csvText(word)},${isoUtc(time)},-1.50,true,\r\n`,
      )
      expect(written).toBe(Buffer.from(expected.join('')).toString())
    }),
    { numRuns: 500 },
  )
})

test('a long text moves into more memory with all that stands before it', () => {
  const long = 'ñ'.repeat(100_000)
  const out = new ByteText()
  for (const piece of [long, 'plain', long])
    expect(out.putPlain(piece) || out.put(piece)).not.toBe(false)
  const copy = new ByteText()
  copy.putFrom(out, 200_000, 200_005)
  expect(Buffer.from(copy.take()).toString()).toBe('plain')
  expect(Buffer.from(out.take()).toString()).toBe(`${long}plain${long}`)
  expect(out.take()).toHaveLength(0)
})
