import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { Migrator } from 'kysely/migration'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readAuditLog } from '../../connectors/database.ts'
import type { OutboundStore } from '../../connectors/destination/outbound.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { hashOf } from '../../connectors/sql/audit-chain.ts'
import { openConnection } from '../../connectors/sqlite/connection/open-connection.ts'
import { kyselyOn } from '../../connectors/sqlite/connection/query-builder.ts'
import { migrate } from '../../connectors/sqlite/schema/migrate.ts'
import { migrations } from '../../connectors/sqlite/schema/migrations.ts'
import { openOutboundStore } from '../../connectors/sqlite/tables/outbound.ts'
import { sealFolder } from '../../outbound/evidence.ts'
import { writeReceipt } from '../../outbound/receipt.ts'
import { writeOnce } from '../../outbound/write-once.ts'
import { sha256Of } from '../../sha256.ts'
import { Project } from '../helpers/project.ts'
import type { Outcome } from '../helpers/project.ts'

const PLAN = 'PL-1'
const AT = '2026-03-08T12:00:00Z'

let project: Project
let database: string
let folder: string
let outbound: OutboundStore
beforeEach(async () => {
  project = new Project()
  database = join(project.folder, 'tillage.db')
  folder = join(project.folder, 'push', PLAN)
  const store = { baseUrl: 'http://127.0.0.1:1', partnerKey: 'p', developerKey: 'd' }
  project.configure([{ id: 'downtown', ...store }], { database: 'tillage.db' })
  await migrate(database, streams)
  outbound = openOutboundStore(database)
})
afterEach(async () => {
  await outbound.close()
  await project.remove()
})

const receipt = (seq: number): string =>
  join(folder, 'receipts', `receipt_${PLAN}_${String(seq).padStart(4, '0')}.json`)

/** A push with three receipts, as `push apply` leaves it. */
async function push(facts = {}): Promise<void> {
  const document = '{"external_id":"A"}\n'
  const hash = sha256Of(document)
  writeOnce(join(folder, 'plan.jsonl'), document)
  const plan = { plan: PLAN, kind: 'push', hash, createdAt: AT, facts: {} } as const
  await outbound.savePlan(plan, [])
  await outbound.approve({ plan: PLAN, by: 'Ana', role: '', at: AT, hash, origin: '', facts }, 0)
  for (const op of ['a', 'b', 'c'])
    await writeReceipt(outbound, join(folder, 'receipts'), {
      plan_id: PLAN,
      op_id: op,
      approved_by: 'Ana',
    })
}

/** What a forger does who has the folder alone: all receipts anew, with their chain. */
function forge(change: (text: string) => string, count = 3): void {
  let previous: string | null = null
  for (let seq = 1; seq <= count; seq++) {
    const was = JSON.parse(readFileSync(receipt(seq), 'utf8')) as object
    const text: string = change(JSON.stringify({ ...was, previous_sha256: previous }))
    rmSync(receipt(seq))
    writeFileSync(receipt(seq), text)
    previous = sha256Of(text)
  }
}

const verify = (...args: string[]): Promise<Outcome> => project.run('verify', ...args)

async function problemsOf(...args: string[]): Promise<string[][]> {
  const { status, stdout } = await verify(...args, '--json')
  const { problems } = JSON.parse(stdout) as { problems: { problem: string; path: string }[] }
  expect(status).toBe(problems.length === 0 ? 0 : 1)
  return problems.map(({ problem, path }) => [problem, path])
}

test('receipts as they were written are those of the database, and the folder alone proves less', async () => {
  await push()
  const compared = await verify(receipt(2))
  expect(compared).toMatchObject({ status: 0, stdout: expect.stringContaining('audit log') })
  const alone = await verify(receipt(2), '--folder-only')
  expect(alone).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('whoever can write it could have made all of it'),
  })
  const json = async (...args: string[]): Promise<unknown> =>
    (JSON.parse((await verify(receipt(2), '--json', ...args)).stdout) as Record<string, unknown>)[
      'comparedWith'
    ]
  expect(await json()).toBe(database)
  expect(await json('--folder-only')).toBeNull()
  rmSync(join(project.folder, 'tillage.yaml'))
  expect(await json()).toBeNull()
  expect(await json('--database', 'tillage.db')).toBe(database)
  expect(await verify(receipt(2), '--database', 'tillage.yaml')).toMatchObject({ status: 2 })
})

test('receipts that were all made anew are as they should be for the folder, and not for the database', async () => {
  await push()
  forge(text => text.replace('"op_id":"b"', '"op_id":"z"'))
  expect(await problemsOf(receipt(3), '--folder-only')).toEqual([])
  expect(await problemsOf(receipt(3))).toEqual([
    ['another content', receipt(1)],
    ['another content', receipt(2)],
    ['another content', receipt(3)],
  ])
})

test('receipts that were cut off at the end, or added there, are found by the database', async () => {
  await push()
  const last = readFileSync(receipt(3))
  rmSync(receipt(3))
  expect(await problemsOf(receipt(2), '--folder-only')).toEqual([])
  expect(await problemsOf(receipt(2))).toEqual([['missing', receipt(3)]])
  writeFileSync(receipt(3), last)
  const added = JSON.parse(last.toString()) as object
  const [seq, previous] = [4, sha256Of(last)]
  writeFileSync(receipt(4), JSON.stringify({ ...added, seq, previous_sha256: previous }))
  expect(await problemsOf(receipt(2))).toEqual([['unknown', receipt(4)]])
})

test('a plan that was replaced is found by the database', async () => {
  await push()
  const path = join(folder, 'plan.jsonl')
  rmSync(path)
  writeFileSync(path, '{"external_id":"B"}\n')
  expect(await problemsOf(receipt(1))).toEqual([['another content', path]])
})

test('a receipt that names somebody who never approved is found by the database', async () => {
  await push()
  await writeReceipt(outbound, join(folder, 'receipts'), {
    plan_id: PLAN,
    op_id: 'd',
    approved_by: 'Ana, Ben',
  })
  expect(await problemsOf(receipt(4))).toEqual([['another approver', receipt(4)]])
})

test('a manifest of an audit that the database does not know, or whose successor is gone, is found', async () => {
  const path = join(project.folder, 'AUD-1')
  const audit = { path, tool: 'tillage', kind: 'audit', id: 'AUD-1', store: 'downtown' } as const
  const seal = async (): Promise<string> => {
    const manifest = sealFolder(audit)
    const name = manifest.slice(path.length + 1)
    const sha256 = sha256Of(readFileSync(manifest))
    await outbound.keepManifest({ folder: path, name, sha256 })
    return manifest
  }
  writeOnce(join(path, 'snapshot.json'), '{}')
  const first = await seal()
  expect(await seal()).toBe(first)
  expect(await problemsOf(first)).toEqual([])
  writeOnce(join(path, 'report.csv'), 'a')
  const second = await seal()
  expect(await problemsOf(second)).toEqual([])
  rmSync(second)
  expect(await problemsOf(first, '--folder-only')).toEqual([])
  expect(await problemsOf(first)).toEqual([['missing', second]])
  writeOnce(join(path, 'report-2.csv'), 'b')
  expect(sealFolder(audit)).toBe(second)
  expect(await problemsOf(first)).toEqual([['another content', second]])
})

test('the database says so itself where a row is not that of its log', async () => {
  await push()
  expect(await verify('tillage.db')).toMatchObject({ status: 0 })
  const change = (sql: string): unknown => {
    const connection = new Database(database)
    try {
      return connection.exec(sql)
    } finally {
      connection.close()
    }
  }
  change("UPDATE outbound_approvals SET approver = 'Ben'")
  change('DELETE FROM outbound_receipts WHERE seq = 3')
  change("UPDATE outbound_receipts SET body = replace(body, 'b', 'z') WHERE seq = 2")
  const { status, stdout } = await verify('tillage.db')
  expect(status).toBe(1)
  expect(stdout).toContain('the approval is in its table and not in the log: plan PL-1, by Ben')
  expect(stdout).toContain('the receipt is in the log and not in its table: plan PL-1, seq 3')
  expect(stdout).toContain('receipt 2 of PL-1 is not as it was written')
  expect((await problemsOf(receipt(1)))[0]).toEqual(['broken log', database])
})

test('a head that was kept elsewhere tells a log that goes on from one that was made anew', async () => {
  await push()
  const { stdout, stderr, status } = await verify('--print-head')
  const head = stdout.trim()
  expect([status, head]).toEqual([0, expect.stringMatching(/^5 [0-9a-f]{64}$/)])
  expect(stderr).toContain('1 plan, 1 approval, 3 receipts')
  expect((await verify('--head', head)).stdout).toContain('ends with entry 5')
  await outbound.keepManifest({ folder, name: 'manifest_x_r0.json', sha256: 'a'.repeat(64) })
  expect(await verify('tillage.db', '--head', head)).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('1 entry came since'),
  })
  expect(
    await verify(
      '--head',
      head.replace(/.$/, last => (last === 'a' ? 'b' : 'a')),
    ),
  ).toMatchObject({ status: 1, stdout: expect.stringContaining('its entry 5 differs') })
  expect(await verify('--head', `7${head.slice(1)}`)).toMatchObject({
    status: 1,
    stdout: expect.stringContaining('it has no entry 7; its last is 6'),
  })
  expect(await verify('--head', 'nonsense')).toMatchObject({ status: 2 })
})

test('an upgrade gives what was written before the log had entries of it its entries', async () => {
  await outbound.close()
  rmSync(database)
  await migrateBefore('0021-log-evidence')
  outbound = openOutboundStore(database)
  await push()
  const connection = new Database(database)
  connection.exec('DROP TRIGGER audit_log_stays; DELETE FROM audit_log')
  connection.exec("DELETE FROM sqlite_sequence WHERE name = 'audit_log'")
  connection.close()
  await migrate(database, streams)
  expect(await problemsOf(receipt(3))).toEqual([])
  expect(await verify('tillage.db')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('the 5 entries of the audit log'),
  })
})

test('guarded operations of which an entry of an earlier version says nothing are approved again', async () => {
  await outbound.close()
  rmSync(database)
  await migrateBefore('0026-guarded-again')
  outbound = openOutboundStore(database)
  await push({ guarded: ['op-1'] })
  const change = (sql: string): void => {
    const connection = new Database(database)
    connection.exec(sql)
    connection.close()
  }
  change('DROP TRIGGER audit_log_stays_as_it_is')
  change(`UPDATE audit_log SET detail = json_remove(detail, '$.guarded')`)
  const entries = (await readAuditLog(database)).entries
  for (const [at, { seq, ...entry }] of entries.entries()) {
    const previous = entries[at - 1]?.hash ?? entry.previous
    entries[at]!.hash = hashOf({ ...entry, seq, previous })
    change(
      `UPDATE audit_log SET previous = '${previous}', hash = '${entries[at]!.hash}' WHERE seq = ${seq}`,
    )
  }
  await migrate(database, streams)
  const [old] = await outbound.approvals(PLAN)
  expect(old!.facts).toEqual({ guarded: [], namedBefore: ['op-1'] })
  expect(await outbound.unloggedApprovals(PLAN)).toEqual([])
  expect((await verify('tillage.db')).status).toBe(0)
  await outbound.approve({ ...old!, by: 'Ben', facts: { guarded: ['op-1'] } }, 1)
  expect(await outbound.unloggedApprovals(PLAN)).toEqual([])
  change(`UPDATE outbound_approvals SET facts = '{"guarded":["op-1"]}'`)
  expect(await outbound.unloggedApprovals(PLAN)).toMatchObject([{ by: 'Ana' }])
  expect((await verify('tillage.db')).stdout).toContain('guarded ["op-1"]')
})

/** A database as it was before a step of its tables. */
async function migrateBefore(step: string): Promise<void> {
  const db = kyselyOn(openConnection(database))
  const earlier = Object.entries(migrations).filter(([name]) => name < step)
  const provider = { getMigrations: () => Promise.resolve(Object.fromEntries(earlier)) }
  const { error } = await new Migrator({ db, provider }).migrateToLatest()
  await db.destroy()
  if (error !== undefined) throw error
}
