import { isAscii, isUtf8 } from 'node:buffer'
import fc from 'fast-check'
import { writeXlsx } from 'hucre/xlsx'
import { expect, it } from 'vitest'
import { TABLE_LIMITS } from '../../tables/limits.ts'
import { readTables } from '../../tables/read-tables.ts'
import { SEPARATORS } from '../../tables/table.ts'
import type { Table, TableProblem } from '../../tables/table.ts'
import { hostileBook } from './hostile-book.ts'

const isKnown = (name: string): boolean => ['id', 'name', 'price'].includes(name)

const tableOf = async (bytes: Buffer): Promise<Table> => {
  const read = await readTables(bytes, isKnown)
  if ('problem' in read) throw new Error(read.problem.message)
  return read.tables[0]!
}

const textsIn = ({ lines }: Table): unknown[][] => lines.map(line => line.map(one => one.value))

const problemOf = async (bytes: Buffer): Promise<TableProblem | undefined> => {
  const read = await readTables(bytes, isKnown)
  return 'problem' in read ? read.problem : undefined
}

const swapped = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16()

/** As spreadsheets save them. */
const ENCODINGS: Readonly<Record<string, (text: string) => Buffer>> = {
  'UTF-8': text => Buffer.from(text),
  'UTF-8 with a mark': text => Buffer.from(`\uFEFF${text}`),
  'UTF-16 LE with a mark': text => Buffer.from(`\uFEFF${text}`, 'utf16le'),
  'UTF-16 BE with a mark': text => swapped(`\uFEFF${text}`),
  'UTF-16 LE': text => Buffer.from(text, 'utf16le'),
  'UTF-16 BE': text => swapped(text),
  'Windows-1252': text => Buffer.from(text.replaceAll('€', '\u0080'), 'latin1'),
}

const LETTERS = [...'abcXYZ019 .,;\t"\'\n=€ñéÄß']
const cell = fc.array(fc.constantFrom(...LETTERS), { maxLength: 6 }).map(all => all.join(''))
const rows = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 6 })

/** `ß€` in Windows-1252 is one letter of UTF-8: nobody can tell them apart by their bytes. */
const isAlsoUtf8 = (bytes: Buffer): boolean => isUtf8(bytes) && !isAscii(bytes)

it('a table reads the same, whatever encoding, separator and line end it was saved with', async () => {
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`
  await fc.assert(
    fc.asyncProperty(
      rows,
      fc.constantFrom(...Object.keys(ENCODINGS)),
      fc.constantFrom(...SEPARATORS),
      fc.constantFrom('\n', '\r\n'),
      async (body, encoding, separator, end) => {
        const lines = [['id', 'name', 'price'], ...body.map(row => row.map(quoted))]
        const text = lines.map(line => line.join(separator)).join(end)
        const bytes = ENCODINGS[encoding]!(text)
        fc.pre(encoding !== 'Windows-1252' || !isAlsoUtf8(bytes))
        const table = await tableOf(bytes)
        expect(table.separator).toBe(separator)
        expect(textsIn(table)).toEqual([['id', 'name', 'price'], ...body])
      },
    ),
  )
})

it('the separator is that of the header, whatever its cells hold', async () => {
  const { separator, lines } = await tableOf(Buffer.from('id,name\n1,a;b;c;d\n'))
  expect([separator, lines[1]!.length]).toEqual([',', 2])
  expect((await tableOf(Buffer.from('sep=;\r\nid;name\r\n1;x\r\n'))).lines).toHaveLength(2)
})

it('bytes that no spreadsheet writes as text are refused', async () => {
  for (const bytes of [
    [0x69, 0x64, 0x0a, 0x81],
    [0x00, 0x01, 0x02],
    [0xff, 0xfe, 0x00, 0xd8],
  ])
    expect(await problemOf(Buffer.from(bytes))).toMatchObject({ code: 'ENCODING' })
})

it.each([
  ['an open quote', 'id,name\n1,a\n2,"b\n3,c\n', 3, 'a quote is opened in this row'],
  ['a quote in the middle', 'id,name\n1,"a"b\n', 2, 'a quote is not allowed here'],
])('%s names its row', async (_, text, row, says) => {
  expect(await problemOf(Buffer.from(text))).toMatchObject({
    code: 'FORMAT',
    row,
    message: expect.stringContaining(says),
  })
})

const { rows: MOST_ROWS, columns: MOST_COLUMNS, cellCharacters } = TABLE_LIMITS

it.each([
  ['rows', 'id\n'.repeat(MOST_ROWS + 1), '200,000 rows'],
  ['columns', `id${','.repeat(MOST_COLUMNS)}\n`, '1,000 columns'],
  ['characters', `id\n${'x'.repeat(cellCharacters + 1)}\n`, '32,767 characters'],
  ['characters in quotes', `id\n"${'""'.repeat(cellCharacters + 1)}"\n`, '32,767 characters'],
])('too many %s are said with the limit and what to do', async (_, text, limit) => {
  const problem = await problemOf(Buffer.from(text))
  expect(problem?.code).toBe('TOO_LARGE')
  expect(problem?.message).toContain(`is over the limit of ${limit}; leave out`)
})

it('as much as the limits allow is read', async () => {
  expect((await tableOf(Buffer.from('id\n'.repeat(MOST_ROWS)))).lines).toHaveLength(MOST_ROWS)
  const long = await tableOf(Buffer.from(`id\n${'x'.repeat(cellCharacters)}\n`))
  expect(String(long.lines[1]![0]!.value)).toHaveLength(cellCharacters)
})

it('a workbook is read with what Excel has made of its cells', async () => {
  const bytes = await writeXlsx({
    sheets: [
      { name: 'hidden', rows: [['id']], hidden: true },
      {
        name: 'shown',
        rows: [
          ['id', 'price'],
          ['P-1', 12.5],
        ],
        cells: new Map([['1,0', { formula: 'A1', value: 'x' }]]),
      },
    ],
  })
  const table = await tableOf(Buffer.from(bytes))
  expect(table.sheet).toBe('shown')
  expect(table.lines[1]).toMatchObject([{ isFormula: true }, { value: 12.5 }])
})

const cells = (count: number): string => '<row>' + '<c><v>1</v></c>'.repeat(count) + '</row>'

it.each([
  ['inflates without end', hostileBook({ sheet: ' '.repeat(80_000_000) }), '64 MB'],
  ['says too little of its size', hostileBook({ sheet: ' '.repeat(80_000_000), says: 9 }), '64 MB'],
  ['holds a picture of zeros', hostileBook({ extra: Buffer.alloc(80_000_000) }), '64 MB'],
  ['reaches to the last row', hostileBook({ sheet: '<row r="1048576"/>' }), '200,000 rows'],
  ['reaches to the last column', hostileBook({ sheet: '<c r="XFD1"/>' }), '1,000 columns'],
  ['has many cells', hostileBook({ sheet: cells(300_001) }), '300,000 cells'],
  ['has one cell far away', hostileBook({ sheet: '<c r="ZZ9999"/>' }), '300,000 cells'],
  [
    'has many texts',
    hostileBook({ texts: '<si><t>x</t></si>'.repeat(300_001) }),
    'different texts',
  ],
  ['has many tags', hostileBook({ sheet: '<x/>'.repeat(2_600_000) }), '2,500,000 tags'],
  ['has one tag that is long', hostileBook({ sheet: `<row ${'a="1" '.repeat(9_000)}/>` }), 'bytes'],
])('a workbook that %s is refused before it is opened', async (_, bytes, limit) => {
  const problem = await problemOf(bytes)
  expect(problem?.code).toBe('TOO_LARGE')
  expect(problem?.message).toContain(limit)
})

it('a workbook with entities, of another method or cut off is no workbook', async () => {
  const laughs = '<!DOCTYPE sst [<!ENTITY a "ha">]><sst>&a;</sst>'
  for (const bytes of [
    hostileBook({ texts: laughs }),
    hostileBook({ method: 12 }),
    hostileBook({}).subarray(0, 300),
    Buffer.from('PK not a workbook'),
  ])
    expect(await problemOf(bytes)).toMatchObject({ code: 'FORMAT' })
})

it('the same workbook without what is wrong with it is read', async () => {
  expect(textsIn(await tableOf(hostileBook({})))).toEqual([['id']])
})
