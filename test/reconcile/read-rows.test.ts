import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeXlsx } from 'hucre/xlsx'
import { afterAll, expect, it } from 'vitest'
import { countSheetCsv, SHEET_COLUMNS } from '../../audit/count-sheet.ts'
import type { SheetColumn } from '../../audit/count-sheet.ts'
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
  expect(rows[2]!.cells).toMatchObject({ sheet_id: 'CS-1', inventory_id: '', room: 'Safe' })

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
