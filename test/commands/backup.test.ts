import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DAY_MS } from '../../calendar/days.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { migrate } from '../../connectors/sqlite/schema/migrate.ts'
import { openOutboundStore } from '../../connectors/sqlite/tables/outbound.ts'
import { Project } from '../helpers/project.ts'

const STORE = {
  id: 'downtown',
  baseUrl: 'http://127.0.0.1:1',
  partnerKey: 'partner',
  developerKey: 'developer',
  timeZone: 'America/Los_Angeles',
}
const SECRET = `${'ab'.repeat(32)}\n`

let project: Project
let database: string
const inProject = (name: string): string => join(project.folder, name)
const names = (): string[] => readdirSync(project.folder).sort()

beforeEach(async () => {
  project = new Project()
  database = inProject('tillage.db')
  project.configure([STORE], { database: 'tillage.db' })
  await migrate(database, streams)
  addWindow('first')
  writeFileSync(`${database}.member-secret`, SECRET, { mode: 0o600 })
})
afterEach(() => project.remove())

function addWindow(start: string): void {
  const connection = new Database(database)
  connection
    .prepare("INSERT INTO windows VALUES ('downtown', 'transactions', ?, 'end', 'proven', '{}')")
    .run(start)
  connection.close()
}

function starts(path: string): unknown[] {
  const connection = new Database(path)
  try {
    return connection.prepare('SELECT window_start FROM windows').pluck().all()
  } finally {
    connection.close()
  }
}

describe('backup and restore', () => {
  test('bring back the database and the member secret, and move aside what was there', async () => {
    const backup = await project.run('backup', 'b.db', '--json')
    expect(backup).toMatchObject({ status: 0 })
    expect(JSON.parse(backup.stdout)).toMatchObject({
      file: inProject('b.db'),
      memberSecret: inProject('b.db.member-secret'),
      windows: 1,
    })
    expect(readFileSync(inProject('b.db.member-secret'), 'utf8')).toBe(SECRET)
    for (const name of ['b.db', 'b.db.member-secret'])
      expect(statSync(inProject(name)).mode & 0o777).toBe(0o600)
    expect(names().filter(name => name.includes('partial'))).toEqual([])

    addWindow('second')
    writeFileSync(`${database}.member-secret`, 'another secret of the machine')
    const refused = await project.run('restore', 'b.db')
    expect(refused).toMatchObject({ status: 2, stdout: '' })
    expect(refused.stderr).toContain('--replace')
    expect(starts(database)).toEqual(['first', 'second'])

    const restored = await project.run('restore', 'b.db', '--replace', '--json')
    expect(restored).toMatchObject({ status: 0 })
    const { movedAside } = JSON.parse(restored.stdout) as { movedAside: string }
    expect(starts(database)).toEqual(['first'])
    expect(readFileSync(`${database}.member-secret`, 'utf8')).toBe(SECRET)
    expect(statSync(database).mode & 0o777).toBe(0o600)
    expect(movedAside).toMatch(/tillage\.db\.replaced-\d{4}-\d\d-\d\dT/)
    expect(starts(movedAside)).toEqual(['first', 'second'])
    expect(readFileSync(`${movedAside}.member-secret`, 'utf8')).toContain('another')
  })

  test('never overwrite a file, and say what must be kept besides', async () => {
    const { status, stdout } = await project.run('backup', 'b.db')
    expect(status).toBe(0)
    expect(stdout).toContain('keep these yourself')
    expect(stdout).toContain('the keys')
    const before = readFileSync(inProject('b.db'))
    expect(await project.run('backup', 'b.db')).toMatchObject({ status: 2 })
    expect(readFileSync(inProject('b.db')).equals(before)).toBe(true)
    rmSync(inProject('b.db'))
    expect(await project.run('backup', 'b.db')).toMatchObject({ status: 2 })
    expect(existsSync(inProject('b.db'))).toBe(false)
  })

  test('take settings without keys, and files with their hashes, and say elsewhere what is missing', async () => {
    const old = '# before June: partnerKey: an-earlier-key'
    const settings = `# ours\n${old}\n${JSON.stringify({ stores: [{ ...STORE, partnerKey: 'a-key-of-the-partner' }], database: 'tillage.db' })}`
    writeFileSync(inProject('tillage.yaml'), settings)
    const given = ['tillage-data', 'exports', 'downtown', 'sales.csv']
    mkdirSync(join(project.folder, ...given.slice(0, -1)), { recursive: true })
    mkdirSync(inProject('push/PU-1'), { recursive: true })
    writeFileSync(join(project.folder, ...given), 'day,amount\n')
    writeFileSync(inProject('push/PU-1/plan.jsonl'), '{}\n')
    const listed = await project.run('backup', 'hashes.db')
    expect(listed.stdout.replaceAll(/\s+/g, ' ')).toContain('2 files that it knows')
    expect(listed.stdout).toContain('tillage backup --files takes them')
    const kept = readFileSync(inProject('hashes.db.settings.yaml'), 'utf8')
    expect(kept).toContain('# ours')
    expect(kept).toContain(STORE.baseUrl)
    expect(kept).toContain('"${TILLAGE_DEVELOPER_KEY}"')
    expect(kept).not.toContain('a-key-of-the-partner')
    expect(kept).toContain('# before June: partnerKey: ${TILLAGE_PARTNER_KEY}')
    expect(kept).not.toContain('an-earlier-key')
    expect((await project.run('backup', 'whole.db', '--files')).status).toBe(0)

    const elsewhere = new Project()
    try {
      elsewhere.configure([STORE], { database: 'tillage.db', exports: 'given' })
      const bare = await elsewhere.run('restore', inProject('hashes.db'))
      expect(bare.status).toBe(3)
      expect(bare.stdout).toContain(
        `${join(elsewhere.folder, 'given/downtown/sales.csv')} is missing`,
      )
      expect(bare.stdout).toContain('0 files of 2 are in place')
      const whole = await elsewhere.run('restore', inProject('whole.db'), '--replace')
      expect(whole.stdout).toContain('2 files of 2 are in place')
      expect(whole.status).toBe(0)
      writeFileSync(join(elsewhere.folder, 'given/downtown/sales.csv'), 'changed\n')
      const changed = await elsewhere.run('restore', inProject('whole.db'), '--replace', '--json')
      expect(changed.status).toBe(3)
      expect(JSON.parse(changed.stdout)).toMatchObject({
        missing: [],
        different: [expect.anything()],
      })
    } finally {
      await elsewhere.remove()
    }
  })

  test('do not pull the database away from a process that has it open', async () => {
    await project.run('backup', 'b.db')
    addWindow('second')
    const other = new Database(database)
    other.pragma('journal_mode = WAL')
    other.prepare('SELECT count(*) FROM windows').get()
    const { status, stderr } = await project.run('restore', 'b.db', '--replace')
    other.close()
    expect(stderr).toContain('DATABASE_BUSY')
    expect(status).toBe(1)
    expect(starts(database)).toEqual(['first', 'second'])
    expect(names().filter(name => /partial|replaced/.test(name))).toEqual([])
  })
})

test('doctor --database tells damage in the words of SQLite with the remedy, and a good database from it', async () => {
  expect(await project.run('doctor', '--database')).toMatchObject({ status: 0 })
  await project.run('backup', 'b.db')
  const bytes = readFileSync(inProject('b.db'))
  const pageSize = bytes.readUInt16BE(16)
  bytes.fill(0xa5, pageSize, 2 * pageSize)
  writeFileSync(database, bytes)
  const { status, stdout } = await project.run('doctor', '--database')
  expect(status).toBe(1)
  expect(stdout).toMatch(/page 2|malformed/)
  expect(stdout).toContain('DATABASE_BROKEN')
  expect(stdout).toContain('tillage restore')
  const json = await project.run('doctor', '--database', '--json')
  expect(JSON.parse(json.stdout)).toMatchObject({ error: { code: 'DATABASE_BROKEN' } })
  // Damage must not keep the backup out.
  expect(await project.run('restore', 'b.db', '--replace')).toMatchObject({ status: 0 })
  expect(await project.run('doctor', '--database')).toMatchObject({ status: 0 })
})

test('doctor --database does not pass a database that somebody dropped a table or a view of', async () => {
  await project.run('backup', 'whole.db')
  const drop = (sql: string): void => {
    const connection = new Database(database)
    connection.exec(sql)
    connection.close()
  }
  expect(await project.run('doctor', '--database')).toMatchObject({ status: 0 })
  drop('DROP VIEW brands')
  const view = await project.run('doctor', '--database')
  expect(view).toMatchObject({ status: 1 })
  expect(view.stdout).toContain('view brands is missing')
  expect(view.stdout).toContain('No row is lost with it')
  drop('DROP TABLE findings')
  const json = await project.run('doctor', '--database', '--json')
  expect(json).toMatchObject({ status: 1 })
  expect(JSON.parse(json.stdout)).toMatchObject({
    damage: [],
    missing: ['table findings is missing', 'view brands is missing'],
    error: { code: 'DATABASE_BROKEN', remedy: expect.stringContaining('backup') as string },
  })
  expect(await project.run('restore', 'whole.db', '--replace')).toMatchObject({ status: 0 })
  expect(await project.run('doctor', '--database')).toMatchObject({ status: 0 })
})

test('doctor --database finds a digit that was changed inside a value, where no page is damaged', async () => {
  const change = (sql: string): void => {
    const connection = new Database(database)
    connection.pragma('ignore_check_constraints = ON')
    connection.exec(sql)
    connection.close()
  }
  // Makes the tables.
  expect(await project.run('doctor', '--database')).toMatchObject({ status: 0 })
  change(`INSERT INTO rows_vendors (store_id, first_batch, batch, id, name, raw) VALUES
    ('downtown', 1, 1, 'v1', 'Acme 15', '{"id":"v1","name":"Acme 15"}'),
    ('downtown', 1, 1, 'v2', 'Bolt', '{"id":"v2","name":"Bolt"}')`)
  expect(await project.run('doctor', '--database')).toMatchObject({ status: 0 })
  change(`UPDATE rows_vendors SET raw = replace(raw, '15', '75') WHERE id = 'v1'`)
  const { status, stdout } = await project.run('doctor', '--database')
  expect(status).toBe(1)
  expect(stdout).toContain('downtown vendors: v1')
  expect(stdout).not.toContain('v2')
  expect(stdout).toContain('tillage check vendors --store downtown')
})

test('a restored database marks each unfinished plan, and the restore lists them', async () => {
  const at = '2026-03-09T08:00:00.000Z'
  const store = openOutboundStore(database)
  for (const [plan, state] of [
    ['RP-open', 'planned'],
    ['RP-done', 'confirmed'],
  ] as const)
    await store.savePlan({ plan, kind: 'reconcile', hash: 'h', createdAt: at, facts: {} }, [
      { plan, op: 'op-1', token: plan, state, attempt: 0, changedAt: at, facts: {} },
    ])
  await store.close()
  const before = new Date().toISOString()
  await project.run('backup', 'b.db')
  // As of a file that was copied since.
  const copied = new Date(Date.now() + DAY_MS)
  utimesSync(inProject('b.db'), copied, copied)
  const { madeAt: made } = JSON.parse(readFileSync(inProject('b.db.files.json'), 'utf8')) as {
    madeAt: string
  }
  expect(made >= before && made < copied.toISOString()).toBe(true)
  const restored = await project.run('restore', 'b.db', '--replace')
  expect(restored.stdout).toContain('RP-open was not finished when the backup was made')
  expect(restored.stdout).not.toContain('RP-done')
  const after = openOutboundStore(database)
  expect(await after.events('RP-open')).toMatchObject([
    { event: 'restored', detail: expect.stringContaining(`from a backup of ${made}`) as string },
  ])
  expect(await after.events('RP-done')).toEqual([])
  await after.close()
})
