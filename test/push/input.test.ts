import { writeXlsx } from 'hucre/xlsx'
import { expect, it } from 'vitest'
import { readInput } from '../../push/input/read-input.ts'
import { JPEG, testFolder } from './files.ts'

const files = testFolder()
const problemsOf = async (name: string, body: string | Buffer, catalog = 'products' as const) =>
  (await readInput(catalog, files.write(name, body))).problems.map(
    ({ row, column, code }) => `${row} ${column ?? '-'} ${code}`,
  )

it('every problem of a file is reported at once, with row and column', async () => {
  expect(
    await problemsOf(
      'all.csv',
      [
        'external_id,unit_price,active,name,effective_at,price_breaks,colour',
        'P-1,"1,200",yes,__CLEAR__,2027-02-30T06:00,{},red',
        ',$20,,,,,',
        'P-1,-3,,,2027-03-10,,',
        'P-3,NaN,true,,,,',
      ].join('\n'),
    ),
  ).toEqual([
    '1 colour HEADER_UNKNOWN',
    '2 name NOT_CLEARABLE',
    '2 active BOOLEAN',
    '2 unit_price DECIMAL',
    '2 price_breaks JSON',
    '2 effective_at TIME',
    '3 unit_price DECIMAL',
    '3 external_id REQUIRED',
    '4 unit_price DECIMAL',
    '4 effective_at TIME',
    '4 external_id DUPLICATE',
    '5 unit_price DECIMAL',
  ])
})

it('the header is row 1, a quoted line end is no row, blank rows count and ask for nothing', async () => {
  const body =
    '\uFEFFexternal_id,description,unit_price\r\nP-1,"two\r\nlines",1.00\r\n\r\nP-2,,x\r\n'
  expect(await problemsOf('rows.csv', body)).toEqual(['4 unit_price DECIMAL'])
  const { rows } = await readInput(
    'products',
    files.write('good.csv', body.replace(',x', ',12.50')),
  )
  expect(rows.map(({ row, externalId }) => [row, externalId])).toEqual([
    [2, 'P-1'],
    [4, 'P-2'],
  ])
  expect(rows[0]!.cells.get('description')).toEqual({ kind: 'text', text: 'two\r\nlines' })
  expect(rows[1]!.cells.get('unit_price')).toEqual({ kind: 'decimal', text: '12.50' })
})

it('a second row with the same external id or SKU is the one that is wrong', async () => {
  expect(
    await problemsOf('twice.csv', 'external_id,sku\nP-1,GUM10\nP-2,gum10 \nP-1,OTHER\n'),
  ).toEqual(['3 sku DUPLICATE', '4 external_id DUPLICATE'])
})

it('duplicates are also reported for rows with another problem', async () => {
  expect(await problemsOf('both.csv', 'external_id,unit_price\nP-1,$20\nP-1,1.00\n')).toEqual([
    '2 unit_price DECIMAL',
    '3 external_id DUPLICATE',
  ])
})

it.each([
  ['binary.csv', Buffer.from('external_id,name\nP-1,Pi\u0081a\n', 'latin1'), '0 - ENCODING'],
  ['comma.csv', 'external_id,unit_price\nP-1,"12,50"\n', '2 unit_price DECIMAL'],
  ['unclear.csv', 'external_id;unit_price\nP-1;1,234\n', '2 unit_price DECIMAL'],
  ['mixed.csv', 'external_id;unit_price\nP-1;12,50\nP-2;3.5\n', '2 unit_price DECIMAL'],
  ['barcode.csv', 'external_id,unit_price\nP-1,1234567890123\n', '2 unit_price DECIMAL'],
  ['open.csv', 'external_id,name\nP-1,x\nP-2,"never closed\n', '3 - FORMAT'],
  ['short.csv', 'external_id,name\nP-1\n', '2 - CELLS'],
  ['long.csv', 'external_id,name\nP-1,a,b\n', '2 - CELLS'],
  ['empty.csv', '', '0 - EMPTY'],
  ['header.csv', 'external_id,name\n', '0 - EMPTY'],
  ['nokey.csv', 'name\nx\n', '1 external_id HEADER_MISSING'],
  ['another.csv', 'Date,Amount,Payee\n1,2,3\n', '1 external_id HEADER_MISSING'],
  ['twice-named.csv', 'external_id,name,name\nP-1,a,b\n', '1 name HEADER_TWICE'],
  ['other.txt', 'external_id\nP-1\n', '0 - FORMAT'],
  ['broken.xlsx', 'PK not a workbook', '0 - FORMAT'],
  ['lines.jsonl', '{"external_id":"P-1"}\n{"external_id":\n', '2 - JSON'],
  ['unknown.jsonl', '{"external_id":"P-1","colour":"red"}\n', '1 colour HEADER_UNKNOWN'],
  ['number.jsonl', '{"external_id":"P-1","sku":12}\n', '1 sku JSON'],
] as const)('%s is refused', async (name, body, problem) => {
  expect(await problemsOf(name, body)).toEqual([problem])
})

it.each([
  ['semicolons.csv', 'external_id;name;unit_price\nP-1;Pi\u00F1a;12,50\n', 'utf8'],
  ['tabs.csv', 'external_id\tname\tunit_price\nP-1\tPi\u00F1a\t12.50\n', 'utf16le'],
  ['latin.csv', 'External ID,Product Name,Price\nP-1,Pi\u00F1a,12.50\n', 'latin1'],
] as const)('%s is read as its spreadsheet meant it', async (name, body, encoding) => {
  const input = await readInput('products', files.write(name, Buffer.from(body, encoding)))
  expect(input.problems).toEqual([])
  expect(Object.fromEntries(input.rows[0]!.cells)).toMatchObject({
    name: { text: 'Pi\u00F1a' },
    unit_price: { text: '12.50' },
  })
})

it("a column of the users' own is left out where they say so, and refused where they do not", async () => {
  const path = files.write('own.csv', 'external_id,Shelf No\nP-1,7\n')
  expect((await readInput('products', path)).problems).toMatchObject([{ code: 'HEADER_UNKNOWN' }])
  expect((await readInput('products', path, ['shelf no'])).problems).toEqual([])
})

it('lines of JSON keep every digit and take lists as lists; rows are lines', async () => {
  const { rows, problems } = await readInput(
    'products',
    files.write(
      'good.jsonl',
      '\n{"external_id":"P-1","unit_price":12.500000000000000001,"tags":["a","b"],"active":false,"sku":null}\n',
    ),
  )
  expect(problems).toEqual([])
  expect(rows[0]!.row).toBe(2)
  expect(Object.fromEntries(rows[0]!.cells)).toMatchObject({
    unit_price: { kind: 'decimal', text: '12.500000000000000001' },
    tags: { kind: 'list', items: ['a', 'b'] },
    active: { kind: 'boolean', value: false },
  })
  expect(rows[0]!.cells.has('sku')).toBe(false)
})

it('a workbook is read as text: numbers where texts belong and formulas are refused', async () => {
  const bytes = await writeXlsx({
    sheets: [
      {
        name: 'products',
        rows: [
          ['external_id', 'sku', 'unit_price', 'name'],
          ['P-1', '00123', 12.5, 'fine'],
          ['P-2', 123, 20, 'a SKU that Excel bent'],
          ['P-3', 'S3', null, ''],
        ],
        cells: new Map([['3,3', { formula: 'A2&"x"', value: 'P-1x' }]]),
      },
    ],
  })
  expect(await problemsOf('book.xlsx', Buffer.from(bytes))).toEqual([
    '3 sku NOT_TEXT',
    '4 name FORMULA',
  ])
})

it('pictures lie beside their file: of anything else, nothing is said or read', async () => {
  files.write('../outside.jpg', JPEG)
  const elsewhere = ['../outside.jpg', '/etc/passwd', '/etc/nothing', '.']
  const rows = elsewhere.map((path, at) => `P-${at},${path}\n`)
  const file = files.write('images.csv', `external_id,image_paths\n${rows.join('')}`)
  const { problems } = await readInput('products', file)
  expect(problems.map(({ message }) => message)).toEqual(
    elsewhere.map(path => `there is no file ${path} beside this one`),
  )
})

it('pictures must be there, and be pictures, when the plan is made', async () => {
  files.write('gum10.jpg', JPEG)
  files.write('notes.txt', 'no picture')
  files.write('cut.png', Buffer.from('89504e47', 'hex'))
  files.write('gum10.png', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'))
  expect(
    await problemsOf(
      'images.csv',
      'external_id,image_paths\nP-1,gum10.jpg\nP-2,gum10.jpg;missing.png\nP-3,notes.txt\nP-4,cut.png\nP-5,gum10.png\n',
    ),
  ).toEqual(['3 image_paths IMAGE', '4 image_paths IMAGE', '5 image_paths IMAGE'])
})

it('a folder instead of a file is a usage error', async () => {
  await expect(readInput('products', import.meta.dirname)).rejects.toMatchObject({ exitStatus: 2 })
})
