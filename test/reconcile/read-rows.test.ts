import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeXlsx } from 'hucre/xlsx'
import { afterAll, expect, it } from 'vitest'
import { countSheetCsv, countSheetXlsx, SHEET_COLUMNS } from '../../audit/count-sheet.ts'
import type { SheetColumn } from '../../audit/count-sheet.ts'
import { auditFolder, keepSnapshot } from '../../audit/folder.ts'
import { openCounts } from '../../reconcile/make-plan.ts'
import { readCounts } from '../../reconcile/read-counts.ts'
import { readCountRows } from '../../reconcile/read-rows.ts'
import { aLine, aSnapshot } from '../audit/a-snapshot.ts'

const folder = mkdtempSync(join(tmpdir(), 'tillage-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const rowOf = (cells: Partial<Record<SheetColumn, string>>): (string | null)[] =>
  SHEET_COLUMNS.map(name => cells[name] ?? null)

it('a row of found stock belongs to the audit of its file, and in a workbook to the room of its worksheet', async () => {
  const printed = rowOf({ sheet_id: 'CS-1', line_id: '1', inventory_id: 'R1', room: 'Vault' })
  const found = rowOf({ scanned_tag: '1A4', counted_qty: '2' })
  const path = join(folder, 'counts.xlsx')
  writeFileSync(
    path,
    await writeXlsx({
      sheets: [
        { name: 'Vault', rows: [[...SHEET_COLUMNS], printed, found] },
        { name: 'Safe', rows: [[...SHEET_COLUMNS], found] },
      ],
    }),
  )
  const { rows, problems } = await readCountRows(path)
  expect(problems).toEqual([])
  expect(rows[1]!.cells).toMatchObject({ sheet_id: 'CS-1', inventory_id: 'R1', line_id: '' })
  // Nothing should be in this room, so nothing is printed there.
  expect(rows[2]).toMatchObject({ sheet: 'Safe', cells: { sheet_id: 'CS-1', inventory_id: '' } })

  const csv = join(folder, 'counts.csv')
  const snapshot = aSnapshot({ lines: [aLine({ lineId: '1' })] })
  writeFileSync(csv, `${countSheetCsv(snapshot).trimEnd()}\n,,,Floor,,,1A4,,,2,,,,,,,\n`)
  // A file without worksheets has lines of every room: it cannot say which one is meant.
  expect((await readCountRows(csv)).rows[1]!.cells).toMatchObject({
    sheet_id: 'CS-1',
    inventory_id: '',
    room: 'Floor',
  })
})

it('a date of a spreadsheet is what its clock shows, without a zone', async () => {
  const at = new Date('2026-11-23T16:05:00Z')
  const path = join(folder, 'dated.xlsx')
  const row = SHEET_COLUMNS.map(name => (name === 'counted_at' ? at : 'x'))
  const sheet = { name: 'Vault', rows: [[...SHEET_COLUMNS], row] }
  writeFileSync(path, await writeXlsx({ sheets: [sheet] }))
  const { rows, problems } = await readCountRows(path)
  expect(problems).toEqual([])
  expect(rows[0]!.cells.counted_at).toBe('2026-11-23T16:05:00')
})

it('a lot that the API has named like a formula can be counted on our own sheet', async () => {
  const hostile = '=1+1\u0000\u001b[31m'
  const snapshot = aSnapshot({
    lines: [aLine({ lineId: '1', packageTag: hostile, sku: ' FLW-1 ', batchSku: hostile })],
  })
  const text = countSheetCsv(snapshot)
  expect(text).not.toContain('\0')
  const csv = join(folder, 'hostile.csv')
  writeFileSync(csv, text)
  const { rows, problems } = await readCountRows(csv)
  expect(problems).toEqual([])
  expect(rows[0]!.cells).toMatchObject({ package_tag: '=1+1\u001b[31m' })
  const counted = { counted_qty: '3', counted_by: 'E-14', counted_at: '2026-03-09T09:00:00Z' }
  const filled = rows.map(row => ({ ...row, cells: { ...row.cells, ...counted } }))
  const nowMs = Date.parse('2026-03-09T10:00:00Z')
  expect(
    readCounts({ snapshot, found: [], reasons: { reasons: [], isRequired: true }, nowMs }, filled)
      .counts,
  ).toMatchObject([{ lineId: '1' }])
  // Written by a person, it is one.
  writeFileSync(csv, text.replace("'=1+1", '=1+1'))
  expect((await readCountRows(csv)).problems).toMatchObject([{ code: 'FORMULA' }])
})

it('a text like a formula is read as it was: in a workbook, and guarded in a CSV file', async () => {
  const book = join(folder, 'hostile.xlsx')
  const snapshot = aSnapshot({ lines: [aLine({ packageTag: '=1+1', batchSku: '=B-1' })] })
  writeFileSync(book, await countSheetXlsx(snapshot, []))
  const ofBook = await readCountRows(book)
  expect(ofBook.problems).toEqual([])
  expect(ofBook.rows[0]!.cells).toMatchObject({ package_tag: '=1+1', batch_sku: '=B-1' })
  const csv = join(folder, 'guarded.csv')
  const cells = SHEET_COLUMNS.map(name => (name.endsWith('_qty') ? '3' : "'=2 broken"))
  writeFileSync(csv, `${SHEET_COLUMNS.join(',')}\r\n${cells.join(',')}`)
  const ofCsv = await readCountRows(csv)
  expect(ofCsv.problems).toEqual([])
  expect(ofCsv.rows[0]!.cells).toMatchObject({ note: '=2 broken', counted_by: '=2 broken' })
})

it('a file without a word is one problem, and not one for each column', async () => {
  const csv = join(folder, 'empty.csv')
  for (const text of ['', '\uFEFF\r\n']) {
    writeFileSync(csv, text)
    expect((await readCountRows(csv)).problems).toMatchObject([{ code: 'EMPTY', row: 1 }])
  }
})

const HEADER = SHEET_COLUMNS.join(',')

it.each([
  ['another file', 'Date,Amount,Payee\n2026-03-09,12.50,Ana\n', 'is "Date,Amount,Payee", and'],
  ['a wide one', `${'Long name of a column,'.repeat(40)}\n1\n`, 'is it the right file?'],
  ['a title above the header', `Count of March,,\n,,\n${HEADER}\n`, 'is in row 3; delete'],
])('%s is one problem, whatever columns it lacks', async (_, text, says) => {
  const path = join(folder, 'another.csv')
  writeFileSync(path, text)
  const { rows, problems } = await readCountRows(path)
  expect(rows).toEqual([])
  expect(problems).toHaveLength(1)
  expect(problems[0]).toMatchObject({ row: 1, code: 'HEADER_MISSING' })
  expect(problems[0]!.message).toContain(says)
  expect(problems[0]!.message.length).toBeLessThan(200)
})

it('a sheet that lost two of its columns says which', async () => {
  const path = join(folder, 'lost.csv')
  writeFileSync(path, `${HEADER.replace('room,', '').replace('unit,', '')}\n`)
  const { problems } = await readCountRows(path)
  expect(problems.map(({ column, code }) => `${column} ${code}`)).toEqual([
    'room HEADER_MISSING',
    'unit HEADER_MISSING',
  ])
})

const LINE = 'CS-1,1,R1,Vault,SKU,Flower,1A4,B-1,GRAM,12.5,,E-14,2026-03-09T09:00:00Z,,,,'

it.each([
  ['a comma', HEADER, LINE],
  [
    'a semicolon and decimal commas',
    HEADER.replaceAll(',', ';'),
    LINE.replaceAll(',', ';').replace('.', ','),
  ],
  [
    'other names for its columns',
    HEADER.replace('counted_qty', 'Quantity').replace('reason_code', 'Adjustment Reason'),
    LINE,
  ],
])('a sheet with %s is read', async (_, header, line) => {
  const path = join(folder, 'as-excel.csv')
  writeFileSync(path, `${header}\r\n${line}\r\n`)
  const { rows, problems } = await readCountRows(path)
  expect(problems).toEqual([])
  expect(rows[0]!.cells).toMatchObject({ counted_qty: '12.5', counted_by: 'E-14' })
})

it('a row with more cells than the header is refused, and one with fewer is not', async () => {
  const path = join(folder, 'cells.csv')
  writeFileSync(path, `${HEADER}\n${LINE},one more\n${LINE.slice(0, -3)}\n`)
  const { problems } = await readCountRows(path)
  expect(problems).toMatchObject([{ row: 2, code: 'CELLS' }])
  expect(problems[0]!.message).toContain('has 18 cells, the header 17')
})

it('a comma that may part thousands is said with both readings', async () => {
  const path = join(folder, 'unclear.csv')
  const line = LINE.replace('12.5', '1;234').replaceAll(',', '\t').replace(';', ',')
  writeFileSync(path, `${HEADER.replaceAll(',', '\t')}\n${line}\n`)
  expect((await readCountRows(path)).problems).toMatchObject([
    { row: 2, column: 'counted_qty', code: 'QTY_UNCLEAR' },
  ])
})

it('files in which nothing is counted are refused', async () => {
  const exports = join(folder, 'exports')
  const snapshot = aSnapshot({ lines: [aLine({ lineId: '1' })] })
  keepSnapshot(auditFolder(exports, snapshot.store, snapshot.audit), snapshot)
  const path = join(folder, 'blank.csv')
  writeFileSync(path, countSheetCsv(snapshot))
  await expect(openCounts(exports, [path], Date.now())).rejects.toMatchObject({
    problems: [{ column: 'counted_qty', code: 'EMPTY' }],
  })
})

it("a column of the users' own is left out where they say so", async () => {
  const path = join(folder, 'own.csv')
  writeFileSync(path, `${HEADER},Shelf\n${LINE},7\n`)
  expect((await readCountRows(path)).problems).toMatchObject([{ code: 'HEADER_UNKNOWN' }])
  expect((await readCountRows(path, ['Shelf'])).problems).toEqual([])
})

it('a file tells of its header and its rows at once, and is of the first sheet that there is', async () => {
  const exports = join(folder, 'all-at-once')
  const snapshot = aSnapshot({
    lines: [aLine({ lineId: '1' }), aLine({ lineId: '2', batchId: 'B2' })],
  })
  keepSnapshot(auditFolder(exports, snapshot.store, snapshot.audit), snapshot)
  const header = SHEET_COLUMNS.filter(name => name !== 'note')
  const line = (cells: Partial<Record<SheetColumn, string>>): string =>
    header.map(name => cells[name] ?? '').join(',')
  const path = join(folder, 'typo.csv')
  const rows = [
    { sheet_id: 'CS-typo', line_id: '1' },
    { sheet_id: snapshot.sheet, line_id: '99', counted_qty: '-3' },
  ]
  writeFileSync(path, [header.join(','), ...rows.map(line), ''].join('\n'))
  const problems = openCounts(exports, [path], Date.now()).catch(
    (error: { problems: { row: number; code: string }[] }) =>
      error.problems.map(({ row, code }) => `${row} ${code}`),
  )
  expect(await problems).toEqual([
    '1 HEADER_MISSING',
    '2 SHEET_UNKNOWN',
    '3 LINE_UNKNOWN',
    '3 QTY_NEGATIVE',
    '3 COUNTED_BY_MISSING',
    '3 COUNTED_AT_MISSING',
  ])
  writeFileSync(path, `${header.join(',')},mine\n`)
  await expect(openCounts(exports, [path], Date.now())).rejects.toMatchObject({
    problems: [{ code: 'HEADER_MISSING' }, { code: expect.stringMatching('HEADER') as string }],
  })
})
