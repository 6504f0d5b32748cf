import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RowValues } from '../../../connectors/sqlite/pages/table-pages.ts'
import type { Cell } from '../../../exports/books/columns.ts'
import { csvPutter, putCsvRow, putJsonRow, putValues } from '../../../exports/books/row-text.ts'
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
      const written = bytesOf(out => rows.forEach(row => putJsonRow(out, row, new RowValues(8))))
      expect(written).toBe(rows.map(row => JSON.stringify(row)).join(''))
    }),
    { numRuns: 500 },
  )
})

test('a row of which some text is escaped, or no file holds it, is told apart', () => {
  const kind = (...row: Cell[]): string => putJsonRow(new ByteText(), row, new RowValues(8))
  expect([
    kind('a', 1, null),
    kind('one, two | ñ 🌿'),
    kind('3.5" pipe', 'ñ'),
    kind('n\0ul', '"'),
    kind(1, 'half \uD800'),
  ]).toEqual(['plain', 'plain', 'escaped', 'unfit', 'unfit'])
})

test('the texts of a row stand where its values say, letter for letter', () => {
  fc.assert(
    fc.property(cells, row => {
      const out = new ByteText()
      const values = new RowValues(8)
      out.put('before ')
      if (putJsonRow(out, row, values) !== 'plain') putValues(out, row, values)
      const slices = row.map((_, at) => {
        const bytes = (values.types[at]! - 13) / 2
        const start = values.places[at]!
        return bytes < 0 ? undefined : out.bytes.toString('utf8', start, start + bytes)
      })
      expect(values.count).toBe(row.length)
      expect(slices).toEqual(
        row.map(cell => (typeof cell === 'string' ? cell.toWellFormed() : undefined)),
      )
    }),
    { numRuns: 500 },
  )
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
