import { describe, expect, it } from 'vitest'
import { printedCells } from '../../audit/count-sheet.ts'
import { CountsError } from '../../reconcile/count-problem.ts'
import { readCounts } from '../../reconcile/read-counts.ts'
import type { CountRow } from '../../reconcile/read-rows.ts'
import { aLine, aSnapshot, VAULT } from '../audit/a-snapshot.ts'

const TAG = '1A4060000000001'
const OTHER_TAG = '1A4060000000002'

const snapshot = aSnapshot({
  rooms: [VAULT, { id: 'R2', name: 'Floor', type: 'Sales' }],
  lines: [
    aLine({ lineId: '1', packageTag: TAG }),
    aLine({ lineId: '2', inventoryId: 'R2', room: 'Floor', packageTag: TAG }),
    aLine({ lineId: '3', batchId: 'B2', batchSku: 'B-2', packageTag: OTHER_TAG }),
    aLine({ lineId: '4', batchId: 'B3', batchSku: 'B-3', packageTag: OTHER_TAG }),
  ],
})

/** Counts of these lines, each with the tag that was scanned there. */
function read(scanned: Record<string, string>) {
  const rows = snapshot.lines
    .filter(({ lineId }) => lineId in scanned)
    .map((line, index) => ({
      file: 'counts.csv',
      row: index + 2,
      cells: {
        ...printedCells(snapshot.sheet, line),
        counted_qty: '3',
        scanned_tag: scanned[line.lineId],
        counted_by: 'E-14',
        counted_at: '2026-03-09T09:00:00Z',
        recount_qty: '',
        recounted_by: '',
        reason_code: '',
        note: '',
      },
    }))
  return readCounts(snapshot, rows as CountRow[], [], Date.parse('2026-03-09T10:00:00Z'))
}

describe('a tag that was scanned', () => {
  it('counts in each room that its lot lies in', () => {
    expect(read({ 1: TAG, 2: TAG }).counts.map(({ lineId }) => lineId)).toEqual(['1', '2'])
  })

  it.each([
    ['at a lot that has another', { 1: OTHER_TAG }, ['TAG_OTHER_LOT']],
    ['at two lots that share it', { 3: OTHER_TAG, 4: OTHER_TAG }, ['TAG_TWICE']],
  ])('is refused %s', (_, scanned, codes) => {
    const refused = () => read(scanned)
    expect(refused).toThrow(CountsError)
    try {
      refused()
    } catch (error) {
      expect((error as CountsError).problems.map(({ code }) => code)).toEqual(codes)
    }
  })
})
