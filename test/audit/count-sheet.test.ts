import { inflateRawSync } from 'node:zlib'
import { readXlsx } from 'hucre/xlsx'
import { describe, expect, it } from 'vitest'
import {
  countSheetCsv,
  countSheetXlsx,
  SHEET_COLUMNS,
  sheetNames,
} from '../../audit/count-sheet.ts'
import { REASONS } from '../../audit/reasons.ts'
import { aLine, aSnapshot, VAULT } from './a-snapshot.ts'

const EXPECTED = '4711.1234'
const snapshot = aSnapshot({
  rooms: [VAULT, { id: 'R2', name: 'Floor/Front', type: 'Field' }],
  lines: [
    aLine({ lineId: '1', packageTag: '1A4060300000000000000123', expected: EXPECTED }),
    aLine({ lineId: '2', sku: '00123', product: '=cmd()', expected: EXPECTED }),
  ],
})

/** A part of a workbook, by the header in front of it. */
function partOf(workbook: Buffer, name: string): string {
  const at = workbook.indexOf(name)
  const start = at + name.length
  return inflateRawSync(workbook.subarray(start, start + workbook.readUInt32LE(at - 12))).toString()
}

describe('a count sheet', () => {
  it('says nothing of the expected quantity, in any part of any file, unless it is open', async () => {
    expect(countSheetCsv(snapshot)).not.toContain('4711')
    expect(countSheetCsv({ ...snapshot, isBlind: false })).toContain(EXPECTED)
    const said = async (isOpen: boolean): Promise<string> => {
      const { sheets } = await readXlsx(
        await countSheetXlsx({ ...snapshot, isBlind: !isOpen }, REASONS),
      )
      return JSON.stringify(sheets.map(sheet => [sheet.rows, sheet.columns]))
    }
    expect(await said(false)).not.toContain('4711')
    expect(await said(true)).toContain(EXPECTED)
  })

  it('has one visible worksheet for each room, also for those where nothing should be', async () => {
    const { sheets } = await readXlsx(await countSheetXlsx(snapshot, REASONS))
    expect(sheets.map(({ name, hidden }) => [name, hidden ?? false])).toEqual([
      ['Vault', false],
      ['Floor Front', false],
    ])
    expect(sheets.map(({ rows }) => rows.length)).toEqual([3, 1])
    expect(sheets[1]!.rows[0]).toEqual([...SHEET_COLUMNS])
  })

  it('has texts that look like an escape of XML as they are', async () => {
    const line = aLine({ batchSku: 'B_x0043_1' })
    const sheet = await countSheetXlsx(aSnapshot({ lines: [line] }), REASONS)
    const { sheets } = await readXlsx(sheet)
    expect(sheets[0]!.rows[1]![SHEET_COLUMNS.indexOf('batch_sku')]).toBe('B_x0043_1')
  })

  it('locks what is printed, but for what a row below the last line needs for found stock', async () => {
    const bytes = Buffer.from(await countSheetXlsx(snapshot, REASONS))
    const { sheets } = await readXlsx(bytes, { readStyles: true })
    // Cells that nothing is written into have the first style.
    const styles = partOf(bytes, 'xl/styles.xml')
    const [, first] = /<cellXfs[^>]*>(<xf [^>]*><protection[^>]*>)/.exec(styles)!
    expect(first).toMatch(/numFmtId="49".*locked="0"/)
    expect(sheets.map(({ protection }) => protection?.sheet ?? false)).toEqual([true, false])
    const open = (row: number): string[] =>
      SHEET_COLUMNS.filter((_, column) => {
        const cell = sheets[0]!.cells?.get(`${row},${column}`)
        return cell?.style?.protection?.locked === false
      })
    const written = SHEET_COLUMNS.slice(SHEET_COLUMNS.indexOf('counted_qty'))
    expect(open(0)).toEqual([])
    expect(open(1)).toEqual(written)
    expect(open(2)).toEqual(['sku', 'batch_sku', ...written])
  })

  it('keeps tags and SKUs as the texts that they are', async () => {
    const { sheets } = await readXlsx(await countSheetXlsx(snapshot, REASONS))
    const [, first, second] = sheets[0]!.rows
    expect(first![SHEET_COLUMNS.indexOf('package_tag')]).toBe('1A4060300000000000000123')
    expect(second![SHEET_COLUMNS.indexOf('sku')]).toBe('00123')
    expect(second![SHEET_COLUMNS.indexOf('product')]).toBe('=cmd()')
  })

  it('lets adjustment reasons be chosen in the lines and below them', async () => {
    const { sheets } = await readXlsx(await countSheetXlsx(snapshot, ['theft', 'audit']))
    const column = String.fromCodePoint(65 + SHEET_COLUMNS.indexOf('reason_code'))
    for (const sheet of sheets)
      expect(sheet.dataValidations).toMatchObject([
        { type: 'list', values: ['theft', 'audit'], range: `${column}2:${column}10000` },
      ])
  })

  it('names worksheets as Excel takes them, none twice', () => {
    expect(sheetNames(['Room', 'room', 'x'.repeat(40), '[?]'])).toEqual([
      'Room',
      'room 2',
      'x'.repeat(31),
      'Room 3',
    ])
  })
})
