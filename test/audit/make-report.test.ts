import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { readXlsx } from 'hucre/xlsx'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findAudit } from '../../audit/folder.ts'
import { hasReportedCounts, keepCounts, reportedCounts } from '../../audit/kept-counts.ts'
import { makeReport } from '../../audit/make-report.ts'
import type { Report } from '../../audit/make-report.ts'
import { readStateList } from '../../audit/state-list.ts'
import type { StateList } from '../../audit/state-list.ts'
import { openCounts } from '../../reconcile/make-plan.ts'
import { readCsv } from '../../text/read-csv.ts'
import { AuditScene } from '../reconcile/audit-scene.ts'

let scene: AuditScene
beforeAll(async () => {
  scene = await AuditScene.start()
})
afterAll(() => scene.close())

const report = async (counts: string, state?: StateList): Promise<Report> =>
  makeReport(
    scene.api,
    {
      exports: scene.exports,
      log: scene.store,
      counted: await openCounts(scene.exports, [counts], Date.now()),
      settings: scene.settings,
      sales: undefined,
      daysSince: undefined,
      ...(state === undefined ? {} : { state }),
      now: Date.now,
    },
    new AbortController().signal,
  )

const tableOf = ({ files }: Report, name: string): Record<string, string>[] =>
  readCsv(
    readFileSync(
      files.find(({ dataset, format }) => dataset === name && format === 'csv')!.path,
      'utf8',
    ).replace('\uFEFF', ''),
  )

it('the first report names the counts that it was made from among its evidence', async () => {
  const counts = scene.count(await scene.snapshot('Quarantine'), ({ expected }) => ({
    counted_qty: expected,
  }))
  const { files } = await report(counts)
  const workbook = await readXlsx(readFileSync(files.find(({ format }) => format === 'xlsx')!.path))
  const evidence = workbook.sheets.find(({ name }) => name === 'Evidence')!
  expect(evidence.rows.map(([path]) => String(path).split('/')[0])).toEqual(
    expect.arrayContaining(['counts', 'reports', 'sheets', 'snapshot.json']),
  )
})

it('a report says which counts it compared, and a plan can be made of them until they change', async () => {
  const snapshot = await scene.snapshot('Quarantine')
  const folder = findAudit(scene.exports, snapshot.audit)!
  expect(hasReportedCounts(folder)).toBe(false)
  expect(() => reportedCounts(folder)).toThrow(/no report of .* says which counts/)
  const counts = scene.count(snapshot, ({ expected }) => ({ counted_qty: expected }))
  await report(counts)
  const [copy, ...others] = reportedCounts(folder)
  expect(others).toEqual([])
  expect(readFileSync(copy!)).toEqual(readFileSync(counts))
  expect(keepCounts(folder, [copy!])[0]!.file).toBe(relative(folder.path, copy!))
  chmodSync(copy!, 0o644)
  writeFileSync(copy!, 'edited')
  expect(() => reportedCounts(folder)).toThrow(/not as the report compared it/)
})

it("the state's own list stands beside shelf and till, and among the evidence", async () => {
  const snapshot = await scene.snapshot('Quarantine')
  const tagged = snapshot.lines.find(
    ({ packageTag, unit }) => packageTag !== '' && unit === 'EACH',
  )!
  const file = join(scene.folder, 'packages.csv')
  writeFileSync(file, `Tag,Quantity\n${tagged.packageTag},0 ea\n1A4,5 ea\n`)
  const counts = scene.count(snapshot, ({ expected }) => ({ counted_qty: expected }))
  const made = await report(counts, await readStateList(file))
  const [first] = tableOf(made, 'inventory_audit_state').filter(({ what }) => what !== '')
  expect(first).toMatchObject({ what: 'on the shelf, not on the list' })
  const own = tableOf(made, 'inventory_audit_state').find(
    row => row['package_tag'] === tagged.packageTag,
  )
  expect(own).toMatchObject({ what: 'shelf and list differ', state_qty: '0' })
  expect(made.says).toContain("from the state's list")
  expect(readFileSync(made.manifest, 'utf8')).toMatch(/"state\/[0-9a-f]{12}_packages\.csv"/)
})

it('many packages of one difference from the list are one row of the page', async () => {
  const snapshot = await scene.snapshot('Vault')
  const file = join(scene.folder, 'one-package.csv')
  writeFileSync(file, 'Tag,Quantity\n1A4GHOST,5 ea\n')
  const counts = scene.count(snapshot, ({ expected }) => ({ counted_qty: expected }))
  const made = await report(counts, await readStateList(file))
  const page = readFileSync(made.files.find(({ format }) => format === 'html')!.path, 'utf8')
  const table = page.split('Shelf, till and state')[1]!.split('</section>')[0]!
  const unlisted = tableOf(made, 'inventory_audit_state').filter(
    ({ what }) => what === 'on the shelf, not on the list',
  )
  expect(unlisted.length).toBeGreaterThan(30)
  expect(table).toContain(`>${unlisted.length}<`)
  expect(table).not.toContain(unlisted[0]!['package_tag'])
  expect(table).toContain('The workbook names each of them')
})

it('what moved before the snapshot and cannot be proven keeps no difference from being stated', async () => {
  await scene.snapshot('Quarantine')
  const snapshot = await scene.snapshot('Quarantine')
  const counts = scene.count(snapshot, ({ expected }) => ({
    counted_qty: String(Number(expected) + 1),
  }))
  await scene.fault({ match: String.raw`/transactions\?`, status: 404, times: 1 })
  const first = await report(counts)
  const problems = tableOf(first, 'inventory_audit_exceptions').filter(
    ({ code }) => code === 'movement_unproven',
  )
  expect(problems).toHaveLength(1)
  expect(problems[0]!['detail']).toContain('nothing is rolled forward')
  expect(tableOf(first, 'inventory_audit_roll_forward')).toEqual([])
  const lines = tableOf(first, 'inventory_audit')
  expect(lines.map(line => line['variance_qty'])).toEqual(snapshot.lines.map(() => '1'))

  await scene.fault({ match: String.raw`/transactions\?`, status: 404, times: 2 })
  const second = await report(counts)
  for (const line of tableOf(second, 'inventory_audit'))
    expect(line).toMatchObject({ movement_since_snapshot: '', variance_qty: '', in_tolerance: '' })

  const third = await report(counts)
  expect(tableOf(third, 'inventory_audit_roll_forward').length).toBeGreaterThan(0)
})

it('an earlier snapshot that somebody has changed is said, and the one before it is rolled forward', async () => {
  const [oldest, changed] = [await scene.snapshot('Quarantine'), await scene.snapshot('Quarantine')]
  const path = join(scene.exports, changed.store, 'audits', changed.audit, 'snapshot.json')
  chmodSync(path, 0o644)
  writeFileSync(path, readFileSync(path, 'utf8').slice(0, 200))
  const counts = scene.count(await scene.snapshot('Quarantine'), ({ expected }) => ({
    counted_qty: expected,
  }))
  const made = await report(counts)
  expect(tableOf(made, 'inventory_audit_exceptions')).toContainEqual(
    expect.objectContaining({ severity: 'error', code: 'earlier_snapshot_changed' }),
  )
  expect(tableOf(made, 'inventory_audit_roll_forward')).toHaveLength(oldest.lines.length)
})
