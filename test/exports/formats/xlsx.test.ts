import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readXlsx, streamXlsxRows } from 'hucre/xlsx'
import { describe, expect, it } from 'vitest'
import type { FileRow } from '../../../exports/formats/format.ts'
import { xlsx } from '../../../exports/formats/xlsx.ts'
import { createDatabase, insertRecords, sales } from '../export-database.ts'
import type { Row } from '../export-database.ts'
import { exportHere, freshFolder, orderFor, START_MS } from '../order.ts'

async function sheetOf(
  rows: Row[],
  timeZone?: string,
): Promise<{ cells: unknown[][]; bytes: Buffer }> {
  const folder = freshFolder()
  const database = createDatabase(join(folder, 'tillage.db'))
  insertRecords(
    database,
    sales,
    'downtown',
    rows.map((row, index) => ({ row: { id: `s${index}`, modified: START_MS, ...row } })),
  )
  database.close()
  const { files } = await exportHere(
    orderFor(folder, {
      formats: ['xlsx'],
      datasets: ['sales'],
      ...(timeZone === undefined ? {} : { timeZone }),
    }),
  )
  const bytes = readFileSync(files[0]!.path)
  const cells: unknown[][] = []
  for await (const { values } of streamXlsxRows(bytes)) cells.push([...values])
  return { cells, bytes }
}

const column = ({ cells }: { cells: unknown[][] }, name: string): unknown[] =>
  cells.slice(1).map(row => row[cells[0]!.indexOf(name)])

describe('a sheet for people', () => {
  it('shows a text that looks like an escaped character as it is', async () => {
    const sheet = await sheetOf([{ name: '_x000D_y' }, { name: 'a_x0041_' }, { name: '_x00_' }])
    expect(column(sheet, 'name')).toEqual(['_x000D_y', 'a_x0041_', '_x00_'])
  })

  it('has numbers, times and booleans as Excel does, and one header', async () => {
    const sheet = await sheetOf([{ total: '12.50', counter: 3, deleted: 1, paid_at: START_MS }])
    expect(sheet.cells[0]).toEqual([
      'store_id',
      'id',
      'name',
      'modified',
      'paid_at',
      'total',
      'tax',
      'deleted',
      'counter',
      'tags',
      'buyer',
    ])
    expect(['total', 'counter', 'deleted', 'paid_at'].map(name => column(sheet, name)[0])).toEqual([
      12.5,
      3,
      true,
      new Date(START_MS),
    ])
  })

  it('shows times as the clocks of the store do, in winter and summer, and says the zone', async () => {
    const instants = ['2026-03-08T07:30:00.250Z', '2026-03-08T11:30:00Z', '2026-11-01T09:30:00Z']
    const sheet = await sheetOf(
      instants.map(at => ({ paid_at: Date.parse(at) })),
      'America/Los_Angeles',
    )
    expect(column(sheet, 'paid_at')).toEqual(
      ['2026-03-07T23:30:00.250Z', '2026-03-08T04:30:00Z', '2026-11-01T01:30:00Z'].map(
        shown => new Date(shown),
      ),
    )
    const { sheets } = await readXlsx(sheet.bytes, { readStyles: true })
    expect(sheets[0]!.cells?.get('1,4')?.style?.numFmt).toBe(
      'yyyy-mm-dd hh:mm:ss "America/Los_Angeles"',
    )
    expect(sheets[0]!.columns![4]!.width).toBeGreaterThanOrEqual(39)
  })

  it('shows a birthday as the day that it is, whatever the zone of the store', async () => {
    const path = join(freshFolder(), 'members.xlsx')
    const dob = { name: 'dob', kind: 'timestamp', person: true } as const
    const written = { masked: false, type: 'TIMESTAMP', totals: undefined }
    const born = Date.parse('1951-04-12T00:00:00Z')
    const timeZone = 'America/Los_Angeles'
    const columns = [dob, { ...dob, name: 'created', person: false }]
    const writer = await xlsx.open()
    const sink = writer.begin({
      path,
      name: 'members',
      columns: columns.map(one => ({ ...one, ...written })),
      bom: false,
      timeZone,
      rows: async function* () {},
      step: () => {},
    })
    sink.add([born, born])
    await sink.finish()
    const shown: unknown[][] = []
    for await (const { values } of streamXlsxRows(readFileSync(path))) shown.push([...values])
    expect(shown[1]).toEqual([new Date(born), new Date('1951-04-11T16:00:00Z')])
    const { sheets } = await readXlsx(readFileSync(path), { readStyles: true })
    expect(sheets[0]!.cells?.get('1,0')?.style?.numFmt).toBe('yyyy-mm-dd hh:mm:ss "UTC"')
    const again: FileRow[] = []
    for await (const row of xlsx.rows(path, columns, timeZone)) again.push(row)
    expect(again).toEqual([
      { dob: '1951-04-12T00:00:00.000Z', created: '1951-04-12T00:00:00.000Z' },
    ])
  })

  it('keeps as text what a double would change', async () => {
    const sheet = await sheetOf([
      { total: '1234567890123456.12', counter: 9007199254740993n },
      { total: '123456789012.34' },
    ])
    expect(column(sheet, 'total')).toEqual(['1234567890123456.12', 123456789012.34])
    expect(column(sheet, 'counter')[0]).toBe('9007199254740993')
  })

  it('holds any text, formulas and what XML cannot take included', async () => {
    const names = [
      '=HYPERLINK("x")',
      '+1',
      'Piña 🍍',
      'a\u0000b\uFFFEc',
      '<&>"',
      ' x ',
      'y'.repeat(40_000),
    ]
    const shown = column(await sheetOf(names.map(name => ({ name }))), 'name')
    expect(shown.slice(0, 6)).toEqual(['=HYPERLINK("x")', '+1', 'Piña 🍍', 'abc', '<&>"', ' x '])
    expect(String(shown[6])).toHaveLength(32_767)
    expect(String(shown[6]).endsWith('…')).toBe(true)
  })

  it('is wide enough for what it shows, with a bold header that stays, and a filter', async () => {
    const { bytes } = await sheetOf([
      { name: 'Sour Diesel 3.5g, indoor, small batch', total: '1.00' },
    ])
    const workbook = await readXlsx(bytes, { readStyles: true })
    const sheet = workbook.sheets[0]!
    expect(sheet.freezePane).toMatchObject({ rows: 1 })
    expect(sheet.autoFilter?.range).toBe('A1:K2')
    expect(sheet.cells?.get('0,2')?.style?.font?.bold).toBe(true)
    expect(sheet.cells?.get('1,2')?.style?.font?.bold).not.toBe(true)
    const widths = sheet.columns!.map(({ width }) => width)
    expect(widths[2]).toBeGreaterThan(37)
    expect(widths[5]).toBeLessThan(12)
  })

  it('is the same bytes again', async () => {
    const rows = [{ name: 'x', total: '1.00', paid_at: START_MS }]
    expect((await sheetOf(rows)).bytes.equals((await sheetOf(rows)).bytes)).toBe(true)
  })

  it('leaves times out of the calendar that Excel does not have', async () => {
    expect(
      column(await sheetOf([{ paid_at: Date.UTC(1850, 0, 1) }, { paid_at: 8.64e15 }]), 'paid_at'),
    ).toEqual(['1850-01-01T00:00:00.000Z', '+275760-09-13T00:00:00.000Z'])
  })
})
