import { describe, expect, it } from 'vitest'
import type { Count } from '../../audit/counts.ts'
import { reconciledLots } from '../../audit/reconciled-lots.ts'
import { averageSales } from '../../audit/report/average-sales.ts'
import { findExceptions } from '../../audit/report/exceptions.ts'
import { auditLines } from '../../audit/report/lines.ts'
import type { AuditLine } from '../../audit/report/lines.ts'
import { productTable } from '../../audit/report/product-table.ts'
import { judgeSignificance, summaryTable } from '../../audit/report/summary.ts'
import type { AuditTable } from '../../audit/report/table.ts'
import { verdictOf } from '../../audit/report/verdict.ts'
import { reconcileSettings } from '../../audit/settings.ts'
import type { SnapshotLine } from '../../audit/snapshot.ts'
import { rulesOfStates } from '../../audit/state-rules.ts'
import { DAY_MS } from '../../calendar/days.ts'
import { toAmount } from '../../money/amount.ts'
import { aLine, aSnapshot } from './a-snapshot.ts'

const settings = reconcileSettings.parse({})

const countOf = (line: SnapshotLine, counted: string): Count => ({
  lineId: line.lineId,
  inventoryId: line.inventoryId,
  lot: line,
  counted: toAmount(counted)!,
  recounted: undefined,
  countedBy: 'E-14',
  countedAt: '2026-03-09T09:00:00.000Z',
  scannedTag: '',
  recountedBy: '',
  reasonCode: '',
  note: '',
})

/** Lots of which 10 are expected each, and what was counted of them. */
function linesWith(
  lots: readonly (Partial<SnapshotLine> & { counted: string })[],
  moved: 'nothing' | 'nobody knows' = 'nothing',
): AuditLine[] {
  const lines = lots.map((lot, at) =>
    aLine({ ...lot, lineId: String(at + 1), batchId: `B${at + 1}` }),
  )
  const counts = lots.map(({ counted }, at) => countOf(lines[at]!, counted))
  return auditLines({
    snapshot: aSnapshot({ lines }),
    counts: { counts, finds: [], uncounted: [] },
    movements: moved === 'nothing' ? [] : undefined,
    settings,
  })
}

const rowsOf = ({ columns, rows }: AuditTable): Record<string, string>[] =>
  rows.map(row => Object.fromEntries(columns.map(({ name }, at) => [name, row[at]!])))

const sales = { perMonth: toAmount('1000')!, detail: '' }
const judge = (lines: readonly AuditLine[]) =>
  judgeSignificance(lines, sales, rulesOfStates(['CA']).significantPercent, '2026-03-09')

describe('what an audit says of value', () => {
  it('is not hidden by as much too many of another lot', () => {
    const swapped = linesWith([{ counted: '5' }, { counted: '15' }])
    expect(judge(swapped)).toMatchObject([
      { basis: 'cost', percent: '8.000', netPercent: '0.000', isSignificant: true },
      { basis: 'retail', percent: '20.000', netPercent: '0.000', isSignificant: true },
    ])
    expect(rowsOf(summaryTable(swapped))).toMatchObject([
      {
        net_variance_retail: '0.00',
        abs_variance_retail: '200.00',
        net_variance_cost: '0.00',
        abs_variance_cost: '80.00',
      },
    ])
    expect(judge(linesWith([{ counted: '9' }]))).toMatchObject([
      { percent: '0.800', netPercent: '-0.800', isSignificant: false },
      { percent: '2.000', isSignificant: false },
    ])
  })

  it('is unknown, and not 0, where a lot that differs has no price', () => {
    const lines = linesWith([{ counted: '9' }, { counted: '9', unitCost: null }])
    expect(rowsOf(summaryTable(lines))).toMatchObject([
      { net_variance_cost: '', abs_variance_cost: '', net_variance_retail: '-40.00' },
    ])
    expect(rowsOf(productTable('AUD-1', lines))).toMatchObject([{ variance_cost: '' }])
    expect(judge(lines)).toMatchObject([
      { basis: 'cost', unpriced: 1 },
      { basis: 'retail', unpriced: 0 },
    ])
  })

  it('is known where a lot without a price does not differ', () => {
    const lines = linesWith([{ counted: '9' }, { counted: '10', unitCost: null }])
    expect(rowsOf(summaryTable(lines))).toMatchObject([{ net_variance_cost: '-8.00' }])
    expect(rowsOf(productTable('AUD-1', lines))).toMatchObject([{ variance_cost: '-8.00' }])
    expect(judge(lines)).toMatchObject([{ unpriced: 0 }, { unpriced: 0 }])
  })
})

describe('a report judges', () => {
  const whole = linesWith([{ counted: '9' }, { counted: '10' }])
  const stolen = linesWith([{ counted: '0' }, { counted: '10' }])
  const without = (lines: readonly AuditLine[]): AuditLine[] =>
    lines.map((line, at) => (at === 1 ? { ...line, count: undefined, variance: undefined } : line))
  const verdict = (lines: readonly AuditLine[], facts: object = {}) =>
    verdictOf({
      lines,
      unknown: 0,
      significance: judge(lines),
      isRuleKnown: true,
      areSalesKnown: true,
      ...facts,
    })

  it('what was counted whole', () => {
    expect(verdict(whole)).toEqual({ says: 'not significant' })
    expect(verdict(stolen)).toEqual({ says: 'significant' })
  })

  it('nothing that was not, unless it is significant already', () => {
    expect(verdict(without(whole))).toEqual({
      says: 'not judged',
      because: '1 lot not counted',
    })
    expect(verdict(without(stolen))).toEqual({ says: 'significant' })
    expect(rowsOf(summaryTable(without(whole)))).toMatchObject([{ accuracy_pct: '' }])
  })

  it.each([
    ['without a rule', whole, { significance: [], isRuleKnown: false }, 'no rule of a state'],
    ['without sales', whole, { significance: [], areSalesKnown: false }, 'the sales'],
    ['with what the till does not know', whole, { unknown: 1 }, 'have no value'],
    ['with a lot without a price', linesWith([{ counted: '9', unitCost: null }]), {}, 'price'],
  ])('nothing %s', (_, lines, facts, because) => {
    expect(verdict(lines, facts)).toEqual({
      says: 'not judged',
      because: expect.stringContaining(because),
    })
  })

  it('and where nothing differs it needs neither', () => {
    const same = linesWith([{ counted: '10' }])
    expect(verdict(same, { significance: [], isRuleKnown: false })).toEqual({
      says: 'not significant',
    })
  })
})

describe('where nobody knows what moved', () => {
  const unproven = linesWith([{ counted: '8' }], 'nobody knows')

  it('no difference is stated: it may be a sale', () => {
    expect(unproven).toMatchObject([
      { count: {}, movement: undefined, adjusted: undefined, variance: undefined },
    ])
    expect(unproven[0]!.isInTolerance).toBeUndefined()
    expect(rowsOf(summaryTable(unproven))).toMatchObject([
      {
        counted_lots: '1',
        counted_qty: '8',
        net_variance_qty: '',
        abs_variance_cost: '',
        accuracy_pct: '',
      },
    ])
    expect(rowsOf(productTable('AUD-1', unproven))).toMatchObject([
      { counted_qty: '8', adjusted_expected: '', variance_qty: '', variance_cost: '' },
    ])
    expect(judge(unproven)).toEqual([])
  })

  it('and where it is known that nothing did, it is', () => {
    expect(rowsOf(summaryTable(linesWith([{ counted: '8' }])))).toMatchObject([
      { counted_qty: '8', net_variance_qty: '-2', accuracy_pct: '0.0' },
    ])
  })
})

describe('the average month', () => {
  const auditMs = Date.parse('2026-03-09T08:00:00.000Z')
  const daysBefore = (days: number): number => auditMs - days * DAY_MS
  const soldOn = (days: number, total = '100') => ({
    total,
    isRefund: false,
    atMs: daysBefore(days),
  })
  const recent = [28, 1, -1].map(days => soldOn(days))
  const half = { startMs: daysBefore(182), endMs: auditMs }
  const average = (sold: typeof recent, ...read: readonly (readonly [number, number])[]) =>
    averageSales(
      sold,
      half,
      read.map(([from, to]) => ({ startMs: daysBefore(from), endMs: daysBefore(to) })),
    )?.detail

  it('is of the time before the audit, since the first sale, whatever was sold after it', () => {
    expect(average(recent, [400, -2])).toBe(
      '217.41, of the 28 days before the snapshot that the database holds',
    )
  })

  it('counts days on which a store sold nothing, and no sale of before its time', () => {
    expect(average([soldOn(200, '5000'), ...recent], [400, -2])).toBe(
      '33.44, of the 182 days before the snapshot that the database holds',
    )
  })

  it('leaves out what nobody has read, and says nothing of less than two weeks', () => {
    const sold = [soldOn(180), ...recent]
    expect(average(sold, [181, 179], [28, -2])).toBe(
      '314.87, of the 29 days before the snapshot that the database holds',
    )
    expect(average(sold, [181, 179], [10, -2])).toBeUndefined()
  })
})

it('a lot that was found in another room is told with the rooms where the records have it', () => {
  const missing = aLine({ expected: '10' })
  const snapshot = aSnapshot({ lines: [missing] })
  const elsewhere = (lot: SnapshotLine): string | undefined => {
    const found = { ...countOf(lot, '3'), lineId: undefined, inventoryId: 'R2' }
    const counts = { counts: [countOf(missing, '7'), found], finds: [], uncounted: [] }
    const lines = auditLines({ snapshot, counts, movements: [], settings })
    return findExceptions({ snapshot, lines, counts, reconciled: [], others: [] }).find(
      ({ code }) => code === 'found_elsewhere',
    )?.detail
  }
  expect(elsewhere(missing)).toBe('a known lot where none should be; records have 10 in Vault')
  expect(elsewhere(aLine({ batchId: 'B9' }))).toBe('a known lot where none should be')
})

it('what somebody has set between the snapshot and the count is told beside the difference', () => {
  const disposed = aLine({ expected: '6' })
  const snapshot = aSnapshot({ lines: [disposed] })
  const counts = { counts: [countOf(disposed, '5')], finds: [], uncounted: [] }
  const lines = auditLines({ snapshot, counts, movements: [], settings })
  const toldOf = (atMs: number): (string | undefined)[] => {
    const { batchId, inventoryId } = disposed
    const line = { batchId, oldQuantity: 6, newQuantity: 5 }
    const record = { requestNo: 17, inventoryId, created: atMs, reconciliations: [line] }
    const reconciled = reconciledLots([record])
    return findExceptions({ snapshot, lines, counts, reconciled, others: [] })
      .filter(({ code }) => code === 'reconciled_before_count')
      .map(({ detail }) => detail)
  }
  const [fromMs, toMs] = [snapshot.endedAt, counts.counts[0]!.countedAt].map(at => Date.parse(at))
  expect(toldOf(toMs!)).toEqual([
    `reconciliation 17 of ${new Date(toMs!).toISOString()} has set it from 6 to 5 after the ` +
      'snapshot and before the count; the difference is to the snapshot',
  ])
  expect([toldOf(fromMs!), toldOf(toMs! + 1)]).toEqual([[], []])
})
