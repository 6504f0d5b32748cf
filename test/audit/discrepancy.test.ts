import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { confirmDiscrepancy, finishStep } from '../../audit/confirm-discrepancy.ts'
import { openClocks } from '../../audit/confirmation.ts'
import { auditFolder } from '../../audit/folder.ts'
import { makeReport } from '../../audit/make-report.ts'
import type { Report } from '../../audit/make-report.ts'
import { toAmount } from '../../exports/books/amount.ts'
import { verifyEvidence } from '../../outbound/verify-evidence.ts'
import { writeOnce } from '../../outbound/write-once.ts'
import { openCounts } from '../../reconcile/make-plan.ts'
import { AuditScene } from '../reconcile/audit-scene.ts'

let scene: AuditScene
beforeAll(async () => {
  scene = await AuditScene.start()
})
afterAll(() => scene.close())

it('a significant discrepancy is confirmed by an approver, once; its clocks run until each step is done', async () => {
  const { exports, settings } = scene
  const snapshot = await scene.snapshot('Quarantine')
  const folder = auditFolder(exports, snapshot.store, snapshot.audit)
  const word = { by: 'store manager', reason: 'the safe was open', nowMs: Date.now() }
  expect(() => confirmDiscrepancy(folder, word, settings)).toThrow('there is no report')

  const stolen = snapshot.lines.find(
    ({ unit, expected }) => unit === 'EACH' && Number(expected) > 1,
  )!
  const counts = scene.count(snapshot, ({ lineId, expected }) => ({
    counted_qty: lineId === stolen.lineId ? '0' : expected,
  }))
  const report = async (): Promise<Report> =>
    makeReport(
      scene.api,
      {
        exports,
        counted: await openCounts(exports, [counts], Date.now()),
        settings,
        sales: { perMonth: toAmount('10.00')!, detail: 'made up' },
        daysSince: undefined,
        now: Date.now,
      },
      new AbortController().signal,
    )
  const before = pageOf(await report())
  expect(before).toContain(`tillage audit confirm ${snapshot.audit}`)
  expect(before).toContain('C10-0000001-LIC')
  expect(() => confirmDiscrepancy(folder, { ...word, by: 'Nobody' }, settings)).toThrow(
    'Nobody is not an approver',
  )
  expect(openClocks(exports, snapshot.store)).toEqual([])

  // Without its draft nothing is confirmed: it would never be written.
  const stamp = new Date(word.nowMs).toISOString().replaceAll(/[-:.]/g, '')
  const unwritable = `notice-draft_${snapshot.store}_${snapshot.audit}_${stamp}.html`
  writeOnce(join(folder.path, 'discrepancy', unwritable), 'something else')
  expect(() => confirmDiscrepancy(folder, word, settings)).toThrow('with another content')
  expect(openClocks(exports, snapshot.store)).toEqual([])
  word.nowMs += 1

  const { confirmation, draft, manifest } = confirmDiscrepancy(folder, word, settings)
  expect(confirmation).toMatchObject({ by: 'Store manager', clocks: [{}, {}] })
  expect(confirmation.significant).toHaveLength(2)
  const text = readFileSync(draft, 'utf8')
  expect(text).toContain(stolen.product.replaceAll('&', '&amp;'))
  expect(text).toContain('the safe was open')
  expect(verifyEvidence(manifest)?.problems).toEqual([])
  expect(() => confirmDiscrepancy(folder, word, settings)).toThrow('Store manager has confirmed')
  expect(openClocks(exports, snapshot.store).map(({ step }) => step)).toEqual(['notice', 'report'])

  const told = { by: 'Compliance lead', reason: 'case 4711', nowMs: Date.now() }
  finishStep(folder, 'notice', told, settings)
  expect(openClocks(exports, snapshot.store).map(({ step }) => step)).toEqual(['report'])
  expect(() => finishStep(folder, 'notice', told, settings)).toThrow('was done by Compliance lead')
  const after = pageOf(await report())
  expect(after).toContain('Compliance lead (case 4711)')
  expect(after).not.toContain(`tillage audit confirm ${snapshot.audit}`)
})

const pageOf = ({ files }: Report): string =>
  readFileSync(files.find(({ format }) => format === 'html')!.path, 'utf8')

it('where nothing was confirmed no step can be done', async () => {
  const snapshot = await scene.snapshot('Quarantine')
  const folder = auditFolder(scene.exports, snapshot.store, snapshot.audit)
  const word = { by: 'Store manager', reason: 'x', nowMs: Date.now() }
  expect(() => finishStep(folder, 'notice', word, scene.settings)).toThrow('no clock runs')
})
