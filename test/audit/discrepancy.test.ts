import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  confirmDiscrepancy,
  finishStep,
  verdictOfReport,
  withdrawConfirmation,
} from '../../audit/confirm-discrepancy.ts'
import { openClocks } from '../../audit/confirmation.ts'
import { auditFolder, seal } from '../../audit/folder.ts'
import { makeReport } from '../../audit/make-report.ts'
import type { Report } from '../../audit/make-report.ts'
import { toAmount } from '../../money/amount.ts'
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
  const report = (): Promise<Report> => reportOf(counts, '10.00')
  const before = pageOf(await report())
  expect(before).toContain(`tillage audit confirm ${snapshot.audit}`)
  expect(before).toContain('C10-0000001-LIC')
  const [differing, every] = before.split('Every lot that was counted')
  expect(differing).toContain('At cost, USD')
  expect(every).not.toContain('At cost, USD')
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

  const { confirmation, draft } = confirmDiscrepancy(folder, word, settings)
  expect(confirmation).toMatchObject({ by: 'Store manager', clocks: [{}, {}] })
  expect(confirmation.significant).toHaveLength(2)
  const text = readFileSync(draft, 'utf8')
  expect(text).toContain(stolen.product.replaceAll('&', '&amp;'))
  expect(text).toContain('the safe was open')
  expect(text).toMatch(
    /<p class="result">1 lot is out of tolerance [^<]*confirmed it on [^<]+\.<\/p>/,
  )
  expect(verifyEvidence(await seal(scene.store, folder))?.problems).toEqual([])
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

/** Of counts, for a store that sells so much in an average month. */
const reportOf = async (counts: string, perMonth: string): Promise<Report> =>
  makeReport(
    scene.api,
    {
      exports: scene.exports,
      log: scene.store,
      counted: await openCounts(scene.exports, [counts], Date.now()),
      settings: scene.settings,
      sales: { perMonth: toAmount(perMonth)!, detail: 'made up' },
      daysSince: undefined,
      now: Date.now,
    },
    new AbortController().signal,
  )

it('confirming what the report does not call significant takes --against-report, and can be withdrawn', async () => {
  const { exports, settings } = scene
  const snapshot = await scene.snapshot('Quarantine')
  const folder = auditFolder(exports, snapshot.store, snapshot.audit)
  const short = snapshot.lines.find(
    ({ unit, expected }) => unit === 'EACH' && Number(expected) > 1,
  )!
  const counts = scene.count(snapshot, ({ lineId, expected }) => ({
    counted_qty: lineId === short.lineId ? String(Number(expected) - 1) : expected,
  }))
  const { says } = await reportOf(counts, '10000000.00')
  expect(says).toContain('one is 1 short')
  expect(says).toContain('not significant')
  expect(verdictOfReport(folder)).toEqual({
    significant: [],
    otherwise: 'not significant',
    isContradiction: true,
  })

  const word = { by: 'Store manager', reason: 'the safe was open', nowMs: Date.now() }
  expect(() => withdrawConfirmation(folder, word, settings)).toThrow('nobody has confirmed')
  expect(() => confirmDiscrepancy(folder, word, settings)).toThrow(
    'says that the discrepancy is not',
  )
  const clocks = () =>
    openClocks(exports, snapshot.store).filter(one => one.audit === snapshot.audit)
  expect(clocks()).toEqual([])
  const meant = { ...word, isAgainstReport: true }
  const { confirmation } = confirmDiscrepancy(folder, meant, settings)
  expect(confirmation.reportSays).toBe('not significant')
  finishStep(folder, 'notice', { ...word, reason: 'case 1' }, settings)

  const mistake = {
    by: 'compliance lead',
    reason: 'a box stood behind the door',
    nowMs: Date.now(),
  }
  withdrawConfirmation(folder, mistake, settings)
  expect(openClocks(exports, snapshot.store).filter(one => one.audit === snapshot.audit)).toEqual(
    [],
  )
  expect(verifyEvidence(await seal(scene.store, folder))?.problems).toEqual([])
  expect(() => withdrawConfirmation(folder, mistake, settings)).toThrow('nobody has confirmed')
  expect(pageOf(await reportOf(counts, '10000000.00'))).toContain('a box stood behind the door')

  // A second discrepancy starts clocks of its own, whose steps nobody has done.
  confirmDiscrepancy(folder, { ...meant, nowMs: word.nowMs + 1 }, settings)
  expect(clocks().map(({ step }) => step)).toEqual(['notice', 'report'])
})

it('what was not counted is not attested, and not judged', async () => {
  const snapshot = await scene.snapshot('Quarantine')
  const counts = scene.count(snapshot, ({ lineId, expected }) =>
    lineId === '1' ? { counted_qty: expected } : undefined,
  )
  const lots = snapshot.lines.length
  const report = await reportOf(counts, '10000000.00')
  expect(report.says).toBe(
    `1 of ${lots} lots counted in Quarantine; all agree with the records; ` +
      `not judged: ${lots - 1} lots not counted.`,
  )
  const page = pageOf(report)
  expect(page).toContain(`We have counted 1 of the ${lots} lots`)
  expect(page).toContain(`We state nothing of the ${lots - 1} that were not counted`)
  const folder = auditFolder(scene.exports, snapshot.store, snapshot.audit)
  // Whoever judges what the report does not contradicts nothing.
  expect(verdictOfReport(folder)).toMatchObject({ isContradiction: false })
  expect(verdictOfReport(folder).otherwise).toContain('not judged')
})

it('who counted, and in which room, is said once where it is the same of every lot', async () => {
  const snapshot = await scene.snapshot('Quarantine')
  const columnsOf = async (second: string): Promise<(string | undefined)[]> => {
    const counts = scene.count(snapshot, ({ lineId, expected }) => ({
      counted_qty: expected,
      counted_by: lineId === '2' ? second : 'E-14',
    }))
    const table = pageOf(await reportOf(counts, '10000000.00')).split('Every lot that was')[1]!
    return [...table.split('</thead>')[0]!.matchAll(/<th[^>]*>([^<]+)</g)].map(([, name]) => name)
  }
  expect(await columnsOf('E-14')).not.toContain('By')
  const told = await columnsOf('E-15')
  expect(told).toContain('By')
  expect(told).not.toContain('Room')
})

it('many lots that nobody counted are summed up on the page by room, and named in the workbook', async () => {
  const snapshot = await scene.snapshot('Vault')
  const counts = scene.count(snapshot, ({ lineId, expected }) =>
    lineId === '1' ? { counted_qty: expected } : undefined,
  )
  const [counted, ...others] = snapshot.lines
  expect(others.length).toBeGreaterThan(30)
  const report = await reportOf(counts, '10000000.00')
  const page = pageOf(report)
  expect(page).toMatch(new RegExp(`<td data-name="Lot" +class="word">${counted!.batchSku}<`))
  expect(others.filter(({ batchSku }) => page.includes(`>${batchSku}<`))).toEqual([])
  expect(page).toContain(`>${others.length}<`)
  expect(page).toContain('The workbook names each of them')
  const rooms = page.split('By room and category')[1]!.split('</table>')[0]!
  expect(rooms.split('<tr>').length - 2).toBe(1)
})

it('where nothing was confirmed no step can be done', async () => {
  const snapshot = await scene.snapshot('Quarantine')
  const folder = auditFolder(scene.exports, snapshot.store, snapshot.audit)
  const word = { by: 'Store manager', reason: 'x', nowMs: Date.now() }
  expect(() => finishStep(folder, 'notice', word, scene.settings)).toThrow('no clock runs')
})
