import { describe, expect, it } from 'vitest'
import type { SnapshotLine } from '../../audit/snapshot.ts'
import { toAmount } from '../../money/amount.ts'
import { writeNote } from '../../reconcile/note.ts'
import { planPage } from '../../reconcile/plan-page.ts'
import { buildPlan, describeWorth } from '../../reconcile/plan.ts'
import type { PlanDocument } from '../../reconcile/plan.ts'
import { describeHistory } from '../../reconcile/story.ts'
import { aLine } from '../audit/a-snapshot.ts'

/** Lots of which 10 are there each, and what was counted of them. */
function planOf(
  lots: readonly (Partial<SnapshotLine> & { counted: string })[],
  isFull: boolean,
): PlanDocument {
  const lines = lots.map((lot, at) => aLine({ ...lot, batchId: `B${at}`, lineId: String(at + 1) }))
  const counts = lots.map(({ counted }, at) => ({
    lineId: String(at + 1),
    inventoryId: 'R1',
    lot: lines[at]!,
    counted: toAmount(counted)!,
    recounted: undefined,
    countedBy: 'E-14',
    countedAt: '2026-03-09T09:00:00.000Z',
    recountedBy: '',
    scannedTag: '',
    reasonCode: 'mistake',
    note: '',
  }))
  return {
    plan: 'PLN-1',
    store: 'downtown',
    target: { baseUrl: 'https://partner.example', companyId: 'C', shopId: 'S' },
    audit: 'AUD-1',
    createdAt: '2026-03-09T10:00:00.000Z',
    isFull,
    isWhole: true,
    isBlind: true,
    employeeId: null,
    timeZone: 'America/Los_Angeles',
    evidence: { snapshot_sha256: '', counts: [], quantities_read_at: '', transactions: [] },
    ...buildPlan({
      plan: 'PLN-1',
      isFull,
      audit: 'AUD-1',
      counts: { counts, finds: [], uncounted: [] },
      roomNames: new Map([['R1', 'Vault']]),
      quantities: new Map(lines.map(({ batchId }) => [`R1/${batchId}`, toAmount('10')!])),
      movements: [],
      secondApproverOver: toAmount('100')!,
      newToken: () => 'a'.repeat(24),
    }),
  }
}

it('the story of a plan counts one line as one', () => {
  const told = (lots: { counted: string }[]): string[] => {
    const kept = { document: planOf(lots, false), path: '/exports/plan.json' }
    const story = describeHistory({ ...kept, events: [], receipts: [] })
    return story.map(({ detail }) => detail)
  }
  const [one, two] = [told([{ counted: '9' }]), told([{ counted: '9' }, { counted: '8' }])]
  expect([one[0], two[0]]).toEqual([
    expect.stringMatching(/^1 line, from/),
    expect.stringMatching(/^2 lines, from/),
  ])
  expect([one[1], two[1]]).toEqual([
    expect.stringMatching(/^1 line changes in 1 room, /),
    expect.stringMatching(/^2 lines change in 1 room, /),
  ])
})

describe('the page of a plan, which people sign', () => {
  it('counts what changes, also where a full inventory sends every line', () => {
    const lots = [{ counted: '9' }, { counted: '10' }, { counted: '10' }]
    const full = planPage(planOf(lots, true), 'HASH')
    expect(full).toContain('1 of 3 counted lines change')
    expect(full).toContain('a full inventory: all 3 lines are sent')
    const some = planPage(planOf(lots, false), 'HASH')
    expect(some).toContain('1 of 3 counted lines change')
    expect(some).not.toContain('full inventory')
  })

  it('says a currency once, and breaks no package tag', () => {
    const page = planPage(
      { ...planOf([{ counted: '9', packageTag: '1A4' }], false), currency: 'CAD' },
      'HASH',
    )
    expect(page).toContain('8.00 CAD')
    expect(page).not.toContain('as positive, CAD')
    expect(page).toMatch(/<td data-name="Package tag" +class="id tag">/)
  })

  it('says of which lines the value is not known', () => {
    const lots = [{ counted: '9' }, { counted: '9', unitCost: null }]
    expect(describeWorth(planOf(lots, false))).toBe('8.00, and 1 line of unknown cost')
    expect(planPage(planOf(lots, false), 'HASH')).toContain('8.00, and 1 line of unknown cost')
    // What does not change is worth nothing, whatever it has cost.
    expect(describeWorth(planOf([{ counted: '10', unitCost: null }], true))).toBe('0.00')
  })
})

describe('a note', () => {
  it('is never cut in the middle of a character', () => {
    for (const before of [100, 101]) {
      const notes = [`${'x'.repeat(before)}${'🌿'.repeat(60)}`]
      const note = writeNote({ audit: 'AUD-1', reasons: [], notes, token: 'a'.repeat(24) })
      expect(note.isWellFormed()).toBe(true)
      expect(note.length).toBeLessThanOrEqual(200)
      expect(note).toContain(`... [tlg:${'a'.repeat(24)}]`)
    }
  })
})
