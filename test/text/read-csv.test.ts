import { expect, it } from 'vitest'
import { readCsv } from '../../text/read-csv.ts'
import { csvForExcel, csvText, number, recordsForExcel } from '../../text/write-csv.ts'

it('texts are quoted and kept from being formulas, numbers are as they are, and what was written is read again', () => {
  const written = csvText(
    ['name', 'amount'],
    [
      ['=1+1', number('-2.50')],
      ['a "b",\r\nc', '|'],
    ],
  )
  expect(written).toBe(`name,amount\r\n'=1+1,-2.50\r\n"a ""b"",\r\nc",|\r\n`)
  const read = [
    { name: '=1+1', amount: '-2.50' },
    { name: 'a "b",\r\nc', amount: '|' },
  ]
  expect(readCsv(written)).toEqual(read)
  const marked = csvForExcel(
    ['name', 'amount'],
    [
      ['=1+1', number('-2.50')],
      ['a "b",\r\nc', '|'],
    ],
  )
  expect(marked).toBe(`\uFEFF${written}`)
  expect(readCsv(marked)).toEqual(read)
})

it('a byte order mark is left out at the start of a file, and nowhere else', () => {
  expect(readCsv(csvText(['name'], [['a\uFEFF']]))).toEqual([{ name: 'a\uFEFF' }])
})

it('records are written by the names of their columns, and blanks at an end of a cell are kept by quotes', () => {
  const records = [
    { sku: ' 1', price: 2 },
    { sku: null, price: '-3' },
  ]
  expect(recordsForExcel(['price', 'sku'], records)).toBe(`\uFEFFprice,sku\r\n2," 1"\r\n'-3,\r\n`)
})

it('lines may end as an editor has left them, and a quote that is out of place is no content', () => {
  expect(readCsv('name,amount\na,1\r\nb,2')).toEqual([
    { name: 'a', amount: '1' },
    { name: 'b', amount: '2' },
  ])
  expect(() => readCsv('name\r\n"a\r\n', 'a.csv')).toThrow(
    'a.csv was changed: row 2: a quote is never closed',
  )
  expect(() => readCsv('name\r\n"a"b\r\n')).toThrow('was changed: row 2: a quote within a cell')
})
