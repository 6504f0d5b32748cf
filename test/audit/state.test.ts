import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { auditLines } from '../../audit/report/lines.ts'
import { compareWithState, stateTable } from '../../audit/report/state-comparison.ts'
import type { ComparedPackage } from '../../audit/report/state-comparison.ts'
import { reconcileSettings } from '../../audit/settings.ts'
import type { SnapshotLine } from '../../audit/snapshot.ts'
import { readStateList } from '../../audit/state-list.ts'
import { amountText, toAmount } from '../../money/amount.ts'
import { aLine, aSnapshot } from './a-snapshot.ts'

const folder = mkdtempSync(join(tmpdir(), 'tillage-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function listOf(text: string | Buffer) {
  const path = join(folder, 'packages.csv')
  writeFileSync(path, text)
  return readStateList(path)
}
const shownList = async (text: string | Buffer) =>
  (await listOf(text)).packages.map(({ tag, quantity, unit }) => [
    tag,
    amountText(quantity, 0),
    unit,
  ])

describe("the state's list", () => {
  it.each([
    ['the grid of packages', 'Tag,Location,Item,Quantity\n1A4,Vault,Gummies,"1,234 ea"\n'],
    ['names of the API', 'Label,Quantity,UnitOfMeasureName\n1A4,1234,Each\n'],
    ['semicolons', 'Package Tag;Item;Quantity;Unit of Measure\n1A4;Café;1234.0;ea\n'],
    ['tabs', 'Tag\tQuantity\tUoM\n1A4\t1234\tea\n'],
    ['lines above the header', 'Packages Inventory\nC10-1\n\nTag,Quantity,UoM\n1A4,1234,ea\n'],
    ['lines above a header with tabs', 'Packages Inventory\n\nTag\tQuantity\n1A4\t1234 ea\n'],
    ['UTF-16, as Excel saves it', Buffer.from('\uFEFFTag\tQuantity\n1A4\t1234 ea\n', 'utf16le')],
    ['the code page of Excel', Buffer.from('Tag,Item,Quantity\n1A4,Caf\xe9,1234 ea\n', 'latin1')],
  ])('is read from %s', async (_, text) => {
    expect(await shownList(text)).toEqual([['1A4', '1234', 'EACH']])
  })

  it('is in grams whatever weight it states, and of no unit where it states volume', async () => {
    const text =
      'Tag,Quantity\n1,1 oz\n2,2 lb\n3,500 mg\n4,0.4536 kg\n5,12.5 g\n6,3 ml\n7,4\n8,-2 ea\n'
    expect(await shownList(text)).toEqual([
      ['1', '28.349523125', 'GRAM'],
      ['2', '907.18474', 'GRAM'],
      ['3', '0.5', 'GRAM'],
      ['4', '453.6', 'GRAM'],
      ['5', '12.5', 'GRAM'],
      ['6', '3', undefined],
      ['7', '4', undefined],
      ['8', '-2', 'EACH'],
    ])
  })

  it('is refused with every problem where it is another file, or says a package twice', async () => {
    await expect(listOf('Date,Amount\n2026-01-01,5\n')).rejects.toThrow('is not a list of packages')
    await expect(listOf('Tag,Quantity\n1,5\n1,6\n2,many\n3,\n')).rejects.toThrow(
      /row 3, tag: this tag is in a row above[^]*rows 4-5, quantity: is not a quantity/,
    )
  })
})

const settings = reconcileSettings.parse({})

/** Lots of which so many are in the till, by tag; counted where a number is given. */
async function compare(
  lots: readonly (Partial<SnapshotLine> & { counted?: string })[],
  list: string,
  facts: {
    isPartial?: boolean
    finds?: readonly { tag: string; counted: string; sku?: string }[]
  } = {},
): Promise<ComparedPackage[]> {
  const lines = lots.map((lot, at) => aLine({ ...lot, lineId: String(at + 1), batchId: `B${at}` }))
  const snapshot = aSnapshot({ lines, isPartial: facts.isPartial === true })
  const who = { countedBy: 'Ana', countedAt: '2026-03-09T09:00:00.000Z', reasonCode: '', note: '' }
  const counts = lines.flatMap((lot, at) => {
    const { counted } = lots[at]!
    if (counted === undefined) return []
    const { lineId, inventoryId } = lot
    const amounts = { counted: toAmount(counted)!, recounted: undefined }
    return [{ lineId, inventoryId, lot, ...amounts, ...who, recountedBy: '', scannedTag: '' }]
  })
  const finds = (facts.finds ?? []).map(({ tag, counted, sku = '' }) => ({
    ...who,
    inventoryId: 'R1',
    tag,
    sku,
    product: 'Oil',
    counted: toAmount(counted)!,
  }))
  const all = { counts, finds, uncounted: [] }
  const compared = auditLines({ snapshot, counts: all, movements: [], settings })
  return compareWithState({ snapshot, lines: compared, finds, list: await listOf(list) })
}
const kinds = (packages: readonly ComparedPackage[]) => packages.map(({ tag, kind }) => [tag, kind])

describe('shelf, till and state', () => {
  it('leave out found goods that are no cannabis, and name those that are, or that nobody knows', async () => {
    const packages = await compare(
      [
        { packageTag: '', cannabis: false, sku: 'LIGHTER', counted: '10' },
        { packageTag: 'same', cannabis: true, sku: 'OIL', expected: '4', counted: '4' },
      ],
      'Tag,Quantity\nsame,4 ea\n',
      { finds: ['LIGHTER', 'OIL', 'UNKNOWN', ''].map(sku => ({ tag: '', counted: '3', sku })) },
    )
    expect(kinds(packages)).toEqual([
      ...Array.from({ length: 3 }, () => ['', 'no package tag']),
      ['same', ''],
    ])
  })

  it('are compared by package over all rooms, the gravest difference first', async () => {
    const packages = await compare(
      [
        { packageTag: 'same', expected: '4', counted: '4' },
        { packageTag: 'same', expected: '6', counted: '6', inventoryId: 'R2' },
        { packageTag: 'stolen', expected: '10', counted: '0' },
        { packageTag: 'fewer', expected: '10', counted: '9' },
        { packageTag: 'sold, not told', expected: '8', counted: '8' },
        { packageTag: 'in grams', expected: '8', counted: '8' },
        { packageTag: '', cannabis: true, counted: '2' },
        { packageTag: '', cannabis: false, counted: '2' },
      ],
      'Tag,Quantity\nsame,10 ea\nstolen,10 ea\nfewer,10 ea\nelsewhere,5 ea\nold,0 ea\n' +
        '"sold, not told",10 ea\nin grams,8 g\n',
      { finds: [{ tag: 'strange', counted: '2' }] },
    )
    expect(kinds(packages)).toEqual([
      ['strange', 'on the shelf, not on the list'],
      ['', 'no package tag'],
      ['stolen', 'on the list, not on the shelf'],
      ['elsewhere', 'on the list, not on the shelf'],
      ['fewer', 'shelf and list differ'],
      ['sold, not told', 'shelf and list differ'],
      ['in grams', 'units differ'],
      ['same', ''],
      ['old', ''],
    ])
    const { columns, rows } = stateTable('AUD-1', packages)
    const at = (name: string): number => columns.findIndex(column => column.name === name)
    const fewer = rows.find(row => row[at('package_tag')] === 'fewer')!
    expect(
      ['shelf_qty', 'till_qty', 'state_qty', 'shelf_minus_state'].map(name => fewer[at(name)]),
    ).toEqual(['9', '10', '10', '-1'])
  })

  it('say nothing of the shelf where nobody counted, but of the till', async () => {
    const lots = [
      { packageTag: 'till differs', expected: '8' },
      { packageTag: 'agrees', expected: '10' },
      { packageTag: 'till only', expected: '3' },
    ]
    const list = 'Tag,Quantity\ntill differs,10 ea\nagrees,10 ea\nstate only,1 ea\n'
    expect(kinds(await compare(lots, list))).toEqual([
      ['state only', 'unknown to the till'],
      ['till differs', 'till and list differ'],
      ['till only', 'in the till, not on the list'],
      ['agrees', 'not counted'],
    ])
  })

  it('of some rooms, too little proves nothing: the rest may lie in another', async () => {
    const lots = [
      { packageTag: 'less', expected: '4', counted: '4' },
      { packageTag: 'more', expected: '4', counted: '12' },
    ]
    const list = 'Tag,Quantity\nless,10 ea\nmore,10 ea\nother room,5 ea\n'
    expect(kinds(await compare(lots, list, { isPartial: true }))).toEqual([
      ['more', 'shelf and list differ'],
      ['less', ''],
      ['other room', ''],
    ])
  })
})
