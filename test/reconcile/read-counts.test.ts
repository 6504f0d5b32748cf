import { describe, expect, it } from 'vitest'
import { CountsError } from '../../audit/count-problem.ts'
import { printedCells, SHEET_COLUMNS } from '../../audit/count-sheet.ts'
import { REASONS } from '../../audit/reasons.ts'
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

const ORDER = {
  found: [],
  reasons: { reasons: REASONS, isRequired: true },
  nowMs: Date.parse('2026-03-09T10:00:00Z'),
}

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
  return readCounts({ ...ORDER, snapshot }, rows as CountRow[])
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

/** Rows as they stand in a file, below the lines or in them. */
const rowsOf = (rows: readonly object[]): CountRow[] =>
  rows.map((cells, index) => {
    const empty = Object.fromEntries(SHEET_COLUMNS.map(name => [name, '']))
    const row = { ...empty, sheet_id: snapshot.sheet, ...cells }
    return { file: 'counts.csv', row: index + 2, cells: row } as CountRow
  })
const readRows = (rows: readonly object[]) => readCounts({ ...ORDER, snapshot }, rowsOf(rows))
const problemsOf = (rows: readonly object[]): CountsError => {
  try {
    readRows(rows)
  } catch (error) {
    if (error instanceof CountsError) return error
  }
  throw new Error('nothing was refused')
}
const lineCells = (lineId: string, cells: object): object => {
  const line = snapshot.lines.find(one => one.lineId === lineId)!
  return { ...printedCells(snapshot.sheet, line), counted_qty: '3', ...cells }
}
const AT = '2026-03-09T09:00:00Z'
const LATER = '2026-03-09T09:30:00Z'

it('a count of a lot whose product nobody knows is refused, and not sent without one', () => {
  const unknown = aLine({ lineId: '2', batchId: 'B2', productId: '' })
  const lost = aSnapshot({ lines: [aLine({}), unknown] })
  const read = (quantity: string) => {
    const counted = { counted_qty: quantity, counted_by: 'Ana', counted_at: AT }
    const cells = lost.lines.map(line => ({ ...printedCells(lost.sheet, line), ...counted }))
    return readCounts(
      { ...ORDER, snapshot: lost },
      rowsOf([{ ...cells[0], counted_qty: '3' }, cells[1]!]),
    )
  }
  expect(() => read('4')).toThrow(
    expect.objectContaining({ problems: [expect.objectContaining({ code: 'PRODUCT_UNKNOWN' })] }),
  )
  expect(read('').uncounted.map(({ lineId }) => lineId)).toEqual(['2'])
})

describe('who counted, and when,', () => {
  it('is said once a sheet; a line that says something else speaks for itself', () => {
    const { counts } = readRows([
      lineCells('1', { counted_by: 'Ana', counted_at: AT }),
      lineCells('3', { counted_by: 'Ben', counted_at: LATER }),
      lineCells('4', {}),
      lineCells('2', { counted_by: 'Cem', counted_at: LATER }),
    ])
    expect(counts.map(({ countedBy }) => countedBy)).toEqual(['Ana', 'Ben', 'Ana', 'Cem'])
    expect(counts[2]!.countedAt).toBe('2026-03-09T09:00:00.000Z')
  })

  it('holds for the whole file where it says one thing, wherever that stands', () => {
    const { counts } = readRows([
      lineCells('1', {}),
      lineCells('2', { counted_by: 'Ana', counted_at: AT }),
    ])
    expect(counts.map(({ countedBy }) => countedBy)).toEqual(['Ana', 'Ana'])
  })

  it('is not taken from below, or from another room, where several counted', () => {
    const rows = [
      lineCells('1', {}),
      lineCells('3', { counted_by: 'Ben', counted_at: AT }),
      lineCells('2', { counted_by: 'Cem', counted_at: LATER }),
    ]
    expect(problemsOf(rows).problems.map(({ row, code }) => [row, code])).toEqual([
      [2, 'COUNTED_BY_MISSING'],
      [2, 'COUNTED_AT_MISSING'],
    ])
  })
})

describe('a package that was found', () => {
  const who = { inventory_id: 'R2', counted_qty: '2', counted_by: 'Ana', counted_at: AT }
  const strange = { ...who, scanned_tag: '1A4069999999999', product: 'Some oil', unit: 'EACH' }

  it('with a tag that the till does not know is a finding, and blocks nothing', () => {
    const { counts, finds } = readRows([lineCells('2', who), strange])
    expect(counts).toHaveLength(1)
    expect(finds).toMatchObject([
      { tag: '1A4069999999999', product: 'Some oil', inventoryId: 'R2' },
    ])
  })

  it('twice in one room is a mistake', () => {
    expect(problemsOf([strange, strange]).problems).toMatchObject([{ row: 3, code: 'LINE_TWICE' }])
  })

  it('with a tag that the till knows is that lot, and not another one as well', () => {
    const known = { ...strange, scanned_tag: TAG, inventory_id: 'R1', batch_sku: 'B-2' }
    expect(problemsOf([known]).problems).toMatchObject([{ code: 'BATCH_OTHER_LOT' }])
  })
})

describe('an adjustment reason', () => {
  const who = { counted_by: 'Ana', counted_at: AT }

  it('is one of the list, however it is spelled', () => {
    const { counts } = readRows([lineCells('1', { ...who, reason_code: ' Moisture Loss' })])
    expect(counts[0]!.reasonCode).toBe('moisture_loss')
  })

  it('that is not is refused with the one that was probably meant', () => {
    const { problems } = problemsOf([lineCells('1', { ...who, reason_code: 'thefft' })])
    expect(problems).toMatchObject([
      { code: 'REASON_UNKNOWN', message: expect.stringContaining('did you mean theft?') },
    ])
  })
})

describe('a row that counts nowhere', () => {
  const wrong = { counted_qty: '-1.5', counted_by: 'Ana', counted_at: 'x' }
  const CELLS = ['QTY_NEGATIVE', 'COUNTED_AT_INVALID']

  it.each([
    ['of another sheet', [{ ...wrong, sheet_id: 'CS-typo' }], ['SHEET_UNKNOWN', ...CELLS]],
    ['of no line', [lineCells('1', { ...wrong, line_id: '99' })], ['LINE_UNKNOWN', ...CELLS]],
    [
      'of a line that was counted',
      [lineCells('1', { counted_by: 'Ana', counted_at: AT }), lineCells('1', wrong)],
      ['LINE_TWICE', ...CELLS],
    ],
    ['of no room', [{ ...wrong, sku: 'S' }], ['ROOM_UNKNOWN', ...CELLS]],
    ['of no product', [{ ...wrong, inventory_id: 'R2', sku: 'none' }], ['SKU_UNKNOWN', ...CELLS]],
  ])('%s is told with all else that is wrong with it', (_, rows, codes) => {
    expect(problemsOf(rows).problems.map(({ code }) => code)).toEqual(codes)
  })
})

it('what the header has told of a column is not told of its cells again', () => {
  const found = [{ file: 'counts.csv', row: 1, column: 'counted_by', code: 'X', message: '' }]
  const rows = rowsOf([lineCells('1', { counted_at: AT, counted_qty: '-1' })])
  const problems = (): unknown => {
    try {
      return readCounts({ ...ORDER, found, snapshot }, rows)
    } catch (error) {
      return (error as CountsError).problems.map(({ code }) => code)
    }
  }
  expect(problems()).toEqual(['X', 'QTY_NEGATIVE'])
})

it('the same mistake in many rows is said once, with them', () => {
  const error = problemsOf([
    lineCells('1', { counted_at: AT }),
    lineCells('3', { counted_at: AT }),
    lineCells('4', { counted_at: AT, counted_qty: 'x' }),
  ])
  expect(error.problems).toHaveLength(4)
  expect(error.message.split('\n').slice(1)).toEqual([
    expect.stringMatching(/^  counts\.csv rows 2-4, counted_by: who counted it/),
    expect.stringMatching(/^  counts\.csv row 4, counted_qty: "x" is not a plain decimal/),
  ])
})

it.each([
  [['x', 'y'], 'another one is like it'],
  [['x', 'y', 'z'], '2 others are like it'],
])('other values %j that are wrong in the same way are counted', (values, alike) => {
  const rows = values.map((value, at) =>
    lineCells(String(at + 1), { counted_by: 'Ana', counted_at: AT, counted_qty: value }),
  )
  expect(problemsOf(rows).message).toContain(`"x" is not a plain decimal`)
  expect(problemsOf(rows).message).toContain(`(that of the first row; ${alike})`)
})

it('a row that names no room is of the room of its worksheet, also where Excel cannot take its name', () => {
  const rooms = ['Vault/A', 'Vault A', 'Floor'].map((name, at) => ({
    ...VAULT,
    id: `R${at}`,
    name,
  }))
  const lot = aLine({ batchId: 'B2', batchSku: 'B-2', packageTag: OTHER_TAG })
  const place = (sheet: string, room = ''): string[] => {
    const [row] = rowsOf([
      { scanned_tag: OTHER_TAG, counted_qty: '1', room, counted_by: 'Ana', counted_at: AT },
    ])
    const order = { ...ORDER, snapshot: { ...snapshot, rooms, lines: [], otherLots: [lot] } }
    return readCounts(order, [{ ...row!, sheet }]).counts.map(({ inventoryId }) => inventoryId)
  }
  expect(place('Vault A')).toEqual(['R0'])
  expect(place('Vault A 2')).toEqual(['R1'])
  expect(place('floor')).toEqual(['R2'])
  // What is written in the row counts.
  expect(place('Floor', 'Vault A')).toEqual(['R1'])
  expect(() => place('Attic')).toThrow('there is no such room in this audit')
})
