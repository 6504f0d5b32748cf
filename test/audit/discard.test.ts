import { readdirSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isUncounted, recordsOf, stateOf } from '../../audit/audit-state.ts'
import type { AuditRecords } from '../../audit/audit-state.ts'
import { confirmDiscrepancy } from '../../audit/confirm-discrepancy.ts'
import { discardAudit } from '../../audit/discard.ts'
import { auditFolder, seal } from '../../audit/folder.ts'
import type { AuditFolder } from '../../audit/folder.ts'
import { reportedCounts } from '../../audit/kept-counts.ts'
import { makeReport } from '../../audit/make-report.ts'
import { readSincePrevious } from '../../audit/read-since-snapshot.ts'
import type { Snapshot } from '../../audit/snapshot.ts'
import { verifyEvidence } from '../../outbound/verify-evidence.ts'
import { openCounts } from '../../reconcile/make-plan.ts'
import { AuditScene } from '../reconcile/audit-scene.ts'

let scene: AuditScene
beforeAll(async () => {
  scene = await AuditScene.start()
})
afterAll(() => scene.close())

const SIGNAL = new AbortController().signal
const word = { by: ' Ana ', reason: 'counted again on Monday', nowMs: Date.now() }

const asExpected = (snapshot: Snapshot): string =>
  scene.count(snapshot, ({ expected }) => ({ counted_qty: expected }))

async function taken(): Promise<{ snapshot: Snapshot; folder: AuditFolder }> {
  const snapshot = await scene.snapshot('Quarantine')
  return { snapshot, folder: auditFolder(scene.exports, snapshot.store, snapshot.audit) }
}

it('an audit is given up once: its folder stays, and nothing is made of its counts any more', async () => {
  const { snapshot, folder } = await taken()
  const before = readdirSync(folder.path)
  for (const empty of [{ by: ' ' }, { reason: ' ' }])
    expect(() => discardAudit(folder, { ...word, ...empty })).toThrow('is empty')
  expect(stateOf(recordsOf(folder))).toBe('counting')

  const { audit, store } = snapshot
  const discardedAt = new Date(word.nowMs).toISOString()
  const said = { audit, store, by: 'Ana', reason: word.reason, discardedAt }
  expect(discardAudit(folder, word)).toEqual(said)
  expect(discardAudit(folder, { by: 'Bo', reason: 'so do I', nowMs: word.nowMs + 1 })).toEqual(said)
  expect(stateOf(recordsOf(folder))).toBe('discarded')
  expect(verifyEvidence(await seal(scene.store, folder))?.problems).toEqual([])
  expect(readdirSync(folder.path)).toEqual(expect.arrayContaining(before))

  const refused = { code: 'NOT_ALLOWED', message: expect.stringContaining('Ana discarded it at') }
  await expect(openCounts(scene.exports, [asExpected(snapshot)], Date.now())).rejects.toMatchObject(
    refused,
  )
  expect(() => reportedCounts(folder)).toThrow('Ana discarded it at')
  expect(() => confirmDiscrepancy(folder, word, { ...scene.settings, approvers: [ANA] })).toThrow(
    'Ana discarded it at',
  )
})

const ANA = { name: 'Ana', role: 'manager' }

it('the snapshot of an audit that was given up is what the next one is rolled forward from', async () => {
  const { folder } = await taken()
  discardAudit(folder, word)
  const next = await taken()
  const order = { log: scene.store, exports: scene.exports, ...next, now: Date.now }
  const { previous } = await readSincePrevious(scene.api, order, SIGNAL)
  expect(previous?.audit).toBe(folder.audit)
})

it('an audit with a report or a plan is evidence, and is not given up', async () => {
  const planned = await taken()
  const { plan } = (await scene.plan(asExpected(planned.snapshot))).plan
  expect(() => discardAudit(planned.folder, word)).toThrow(`${plan} was made of the counts`)

  const reported = await taken()
  const counted = await openCounts(scene.exports, [asExpected(reported.snapshot)], Date.now())
  const { exports, store: log, settings } = scene
  const unknown = { sales: undefined, daysSince: undefined, now: Date.now }
  await makeReport(scene.api, { exports, log, counted, settings, ...unknown }, SIGNAL)
  expect(() => discardAudit(reported.folder, word)).toThrow('is reported already')
  for (const { folder } of [planned, reported])
    expect(recordsOf(folder)).toMatchObject({ discard: undefined })
})

const discard = { audit: 'AUD-1', store: 'downtown', by: 'Ana', reason: 'r', discardedAt: 'then' }
const anyRecords: fc.Arbitrary<AuditRecords> = fc.record({
  isConfirmed: fc.boolean(),
  isReported: fc.boolean(),
  plans: fc.array(fc.constantFrom('PLN-1', 'PLN-2'), { maxLength: 2 }),
  discard: fc.constantFrom(undefined, discard),
})

it('a discard counts where nothing was made of the counts, and hides nothing that was', () => {
  fc.assert(
    fc.property(anyRecords, records => {
      const discarded = stateOf({ ...records, discard })
      const isFree = isUncounted({ ...records, discard: undefined })
      expect(discarded === 'discarded').toBe(isFree)
      if (!isFree) expect(discarded).toBe(stateOf({ ...records, discard: undefined }))
      // What came after a discard ends it: it is never in the way of evidence.
      expect(stateOf({ ...records, discard, isReported: true })).not.toBe('discarded')
      expect(isUncounted({ ...records, discard })).toBe(false)
    }),
  )
})
