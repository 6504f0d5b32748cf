import { describe, expect, it } from 'vitest'
import { findLot } from '../../reconcile/find-lot.ts'
import type { CountRow } from '../../reconcile/read-rows.ts'
import { aLine } from '../audit/a-snapshot.ts'

const LOTS = [
  aLine({ batchId: 'B1', sku: '00000', batchSku: 'SAME-1' }),
  aLine({ batchId: 'B2', sku: '00015', batchSku: 'SAME-1' }),
  aLine({ batchId: 'B3', sku: '00015', batchSku: 'TWIN-1' }),
  aLine({ batchId: 'B4', sku: '00015', batchSku: 'TWIN-1' }),
  aLine({ batchId: 'B5', sku: '00020', batchSku: 'OWN-1', packageTag: '1A4060000000001' }),
  aLine({ batchId: 'B5', sku: '00020', batchSku: 'OWN-1', packageTag: '1A4060000000001' }),
  aLine({ batchId: 'B6', sku: '00030', batchSku: 'B-6', packageTag: '1A4060000000002' }),
  aLine({ batchId: 'B7', sku: '00030', batchSku: 'B-7', packageTag: '1A4060000000002' }),
]

const find = (cells: Partial<CountRow['cells']>) => {
  const empty = { scanned_tag: '', package_tag: '', batch_sku: '', sku: '' }
  return findLot(LOTS, { cells: { ...empty, ...cells } as CountRow['cells'] })
}

describe('stock that was found belongs to', () => {
  it.each([
    ['the lot of its number and SKU, where two products share the number', 'SAME-1', '00000', 'B1'],
    ['the other of them by its SKU', 'SAME-1', '00015', 'B2'],
    ['a lot in two rooms, which is one lot', 'OWN-1', '', 'B5'],
  ])('%s', (_, batch_sku, sku, batchId) => {
    expect(find({ batch_sku, sku })).toMatchObject({ batchId })
  })

  it('the lot of its tag, however the tag was given', () => {
    const tag = '1A4060000000001'
    expect(find({ scanned_tag: tag })).toMatchObject({ batchId: 'B5' })
    expect(find({ package_tag: tag, sku: '00020' })).toMatchObject({ batchId: 'B5' })
    expect(find({ scanned_tag: '1A4060000000002', batch_sku: 'B-7' })).toMatchObject({
      batchId: 'B7',
    })
  })

  it.each([
    ['a number of two lots', { batch_sku: 'SAME-1' }, 'batch_sku', 'BATCH_AMBIGUOUS'],
    ['and SKU of two', { batch_sku: 'TWIN-1', sku: '00015' }, 'batch_sku', 'BATCH_AMBIGUOUS'],
    ['a tag of two lots', { scanned_tag: '1A4060000000002' }, 'scanned_tag', 'TAG_AMBIGUOUS'],
    ['an SKU of another lot', { batch_sku: 'OWN-1', sku: '00000' }, 'sku', 'SKU_OTHER_LOT'],
    [
      'a lot number of another lot',
      { scanned_tag: '1A4060000000001', batch_sku: 'SAME-1' },
      'batch_sku',
      'BATCH_OTHER_LOT',
    ],
    ['an SKU of nothing', { batch_sku: 'OWN-1', sku: '99999' }, 'sku', 'SKU_UNKNOWN'],
    ['a number of nothing', { batch_sku: 'NONE' }, 'batch_sku', 'BATCH_UNKNOWN'],
    ['a tag of nothing', { package_tag: '1A4069' }, 'package_tag', 'TAG_UNKNOWN'],
  ])('nobody knows which lot, with %s', (_, cells, column, code) => {
    expect(find(cells)).toMatchObject({ column, code })
  })
})
