import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { auditFolder, keepSnapshot } from '../../audit/folder.ts'
import { DAY_MS } from '../../calendar/days.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { migrate } from '../../connectors/sqlite/schema/migrate.ts'
import { openOutboundStore } from '../../connectors/sqlite/tables/outbound.ts'
import { aSnapshot } from '../audit/a-snapshot.ts'
import { Project } from '../helpers/project.ts'

const entry = (id: string): object => ({
  id,
  baseUrl: 'http://127.0.0.1:1',
  partnerKey: 'partner',
  developerKey: 'developer',
})

let project: Project
let path: string

beforeEach(async () => {
  project = new Project()
  path = join(project.folder, 'tillage.db')
  project.configure([entry('sunrise')], { database: 'tillage.db' })
  await migrate(path, streams)
  fill()
})
afterEach(() => project.remove())

const onDatabase = <Answer>(work: (database: Database.Database) => Answer): Answer => {
  const database = new Database(path)
  try {
    return work(database)
  } finally {
    database.close()
  }
}

/** Every table that knows stores, as the database itself says. */
const tables = (database: Database.Database): string[] =>
  database
    .prepare(
      `SELECT t.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c
       WHERE t.type = 'table' AND c.name = 'store_id'`,
    )
    .pluck()
    .all() as string[]

const VALUES: Record<string, unknown> = {
  store_id: 'sunset',
  time_zone: 'America/New_York',
  status: 'proven',
  evidence: '{}',
  window_start: '2026-03-01T05:00:00.000Z',
  window_end: '2026-03-08T05:00:00.000Z',
  stream: 'transactions',
  raw: '{}',
  read_at: '2026-03-08T05:00:00.000Z',
  kind: 'nightly',
}

/** One row of the store sunset in each of them. */
function fill(): void {
  onDatabase(database => {
    for (const table of tables(database)) {
      const columns = (
        database.pragma(`table_info(${table})`) as {
          name: string
          type: string
          notnull: number
          pk: number
        }[]
      ).filter(({ notnull, pk, type }) => notnull === 1 || (pk > 0 && type === 'TEXT'))
      const values = columns.map(({ name, type }) => VALUES[name] ?? (type === 'TEXT' ? 'x' : 1))
      database
        .prepare(
          `INSERT INTO ${table} (${columns.map(({ name }) => `"${name}"`).join(', ')})
           VALUES (${columns.map(() => '?').join(', ')})`,
        )
        .run(...values)
    }
    database.exec(`
      UPDATE findings SET id = 'sunset/transactions/page_cap';
      UPDATE schedules SET schedule_id = 'nightly/sunset';
      INSERT INTO push_files VALUES ('push/sunset', 'catalog.csv', 'x', NULL, 'x')`)
  })
}

/** Where a text still stands, as `table.column`. */
const placesOf = (text: string): string[] =>
  onDatabase(database =>
    (
      database
        .prepare(
          `SELECT t.name AS "table", c.name AS "column"
           FROM sqlite_schema t JOIN pragma_table_info(t.name) c
           WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`,
        )
        .all() as { table: string; column: string }[]
    )
      .filter(
        ({ table, column }) =>
          database.prepare(`SELECT 1 FROM ${table} WHERE instr("${column}", ?)`).get(text) !==
          undefined,
      )
      .map(({ table, column }) => `${table}.${column}`),
  )

describe('store rename', () => {
  test('is refused while a plan of the store is open, of which nobody would be told then', async () => {
    const plan = {
      plan: 'PL-1',
      kind: 'push' as const,
      hash: 'h',
      createdAt: '2026-03-08T10:00:00Z',
    }
    const open = { plan: 'PL-1', op: 'op-1', token: 't', state: 'unknown' as const, attempt: 1 }
    const outbound = openOutboundStore(path)
    const facts = { stores: [{ store: 'sunset' }] }
    await outbound.savePlan({ ...plan, facts }, [{ ...open, changedAt: plan.createdAt, facts: {} }])
    await outbound.close()
    const asked = ['store', 'rename', 'sunset', 'sunrise', '--reason', 'moved']
    const refused = await project.run(...asked)
    expect([refused.status, refused.stderr.replaceAll(/\s+/g, ' ')]).toEqual([
      2,
      expect.stringContaining('would be told under another id: the push PL-1 is open'),
    ])
    onDatabase(db => db.exec('DELETE FROM outbound_operations; DELETE FROM outbound_plans'))
  })

  test('is refused while an audit of the store is counted, until that is forgotten', async () => {
    const exports = join(project.folder, 'tillage-data', 'exports')
    const rename = async (endedAt: string): Promise<object> => {
      const snapshot = aSnapshot({ audit: 'AUD-1', store: 'sunset', endedAt })
      rmSync(exports, { recursive: true, force: true })
      keepSnapshot(auditFolder(exports, 'sunset', 'AUD-1'), snapshot)
      const asked = ['store', 'rename', 'sunset', 'sunrise', '--reason', 'moved']
      const { status, stderr } = await project.run(...asked)
      return { status, isNamed: stderr.includes('AUD-1 is being counted') }
    }
    expect(await rename(new Date().toISOString())).toEqual({ status: 2, isNamed: true })
    const longAgo = new Date(Date.now() - 15 * DAY_MS).toISOString()
    expect(await rename(longAgo)).toEqual({ status: 0, isNamed: false })
  })

  test('is not refused by an audit that was given up, which the audit log tells', async () => {
    const exports = join(project.folder, 'tillage-data', 'exports')
    const endedAt = new Date().toISOString()
    const snapshot = aSnapshot({ audit: 'AUD-1', store: 'sunset', endedAt })
    keepSnapshot(auditFolder(exports, 'sunset', 'AUD-1'), snapshot)
    const asked = ['store', 'rename', 'sunset', 'sunrise', '--reason', 'moved']
    const refusal = async (): Promise<string> =>
      (await project.run(...asked)).stderr.replaceAll(/\s+/g, ' ')
    const plans = join(exports, 'sunset', 'audits', 'AUD-1', 'plans')
    mkdirSync(join(plans, 'RP-1'), { recursive: true })
    // What was planned is evidence, and not given up.
    expect(await refusal()).toMatch(/until tillage audit report AUD-1(?! or)/)
    rmSync(plans, { recursive: true })
    expect(await refusal()).toContain('or tillage audit discard AUD-1')
    const word = ['--by', 'Ana', '--reason', 'nobody came']
    const discarded = await project.run('audit', 'discard', 'AUD-1', ...word)
    expect([discarded.status, discarded.stdout]).toEqual([
      0,
      expect.stringMatching(/^AUD-1: Ana discarded it at [\d: -]+Z: nobody came/),
    ])
    expect(await project.run(...asked)).toMatchObject({ status: 0 })
    const list = ['audit', 'list', '--json', '--store']
    const [underOld, underNew, ofNobody] = [
      await project.run(...list, 'sunset'),
      await project.run(...list, 'sunrise'),
      await project.run(...list, 'sunset-boulevard'),
    ]
    expect(JSON.parse(underOld.stdout)).toMatchObject({ audits: [{ audit: 'AUD-1' }] })
    expect(JSON.parse(underNew.stdout)).toEqual({ audits: [] })
    expect(ofNobody.status).toBe(2)
    const log = await project.run('audit-log', '--json')
    expect(JSON.parse(log.stdout)).toMatchObject({
      entries: [
        { act: 'audit discard', detail: { audit: 'AUD-1', by: 'Ana', reason: 'nobody came' } },
        { act: 'store rename' },
      ],
    })
  })

  test('gives everything that the database knows of a store its new id, and is in the audit log', async () => {
    const before = placesOf('sunset')
    const asked = ['store', 'rename', 'sunset', 'sunrise', '--by', 'Ana', '--reason', 'moved']
    const { status, stdout } = await project.run(...asked, '--json')
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ from: 'sunset', to: 'sunrise', configured: true })
    // The log tells of the old one for ever.
    expect(placesOf('sunset')).toEqual(['audit_log.detail'])
    expect(placesOf('sunrise')).toEqual(expect.arrayContaining(before))
    expect(onDatabase(db => db.prepare('SELECT schedule_id FROM schedules').pluck().all())).toEqual(
      ['nightly/sunrise'],
    )
    const log = await project.run('audit-log', '--json')
    expect(JSON.parse(log.stdout)).toMatchObject({
      breaks: [],
      entries: [{ act: 'store rename', detail: { from: 'sunset', by: 'Ana', reason: 'moved' } }],
    })
  })

  test('never mixes two histories, and changes nothing while somebody has the database open', async () => {
    const unknown = await project.run('store', 'rename', 'x', 'y', '--reason', 'r')
    expect(unknown).toMatchObject({ status: 2 })
    expect(unknown.stderr).toContain('There are: sunset')
    const taken = await project.run('store', 'rename', 'sunset', 'sunset', '--reason', 'r')
    expect(taken).toMatchObject({ status: 2 })
    expect(taken.stderr).toContain('a history of its own')
    const other = new Database(path)
    other.pragma('journal_mode = WAL')
    other.prepare('SELECT count(*) FROM windows').get()
    const busy = await project.run('store', 'rename', 'sunset', 'sunrise', '--reason', 'r')
    other.close()
    expect(busy).toMatchObject({ status: 1 })
    expect(busy.stderr).toContain('DATABASE_BUSY')
    expect(placesOf('sunrise')).toEqual([])
    expect(placesOf('sunset')).toContain('windows.store_id')
  })
})

test('store zone says what follows, and then makes windows of calendar days unproven', async () => {
  const zone = ['store', 'zone', 'sunset', 'America/Chicago', '--reason', 'moved', '--json']
  const proven = (): unknown =>
    onDatabase(db =>
      db.prepare("SELECT count(*) FROM windows WHERE status = 'proven'").pluck().get(),
    )
  const foreseen = await project.run(...zone, '--dry-run')
  expect(JSON.parse(foreseen.stdout)).toMatchObject({
    was: 'America/New_York',
    windows: [{ stream: 'transactions', windows: 1 }],
    bookedDays: 1,
  })
  expect(proven()).toBe(1)
  expect(await project.run(...zone)).toMatchObject({
    status: 0,
    stdout: foreseen.stdout.replace('true', 'false'),
  })
  expect(proven()).toBe(0)
  expect(placesOf('America/Chicago').toSorted()).toEqual([
    'audit_log.detail',
    'stores.time_zone',
    'windows.evidence',
  ])
})

test('store list names who is in the database, and who in tillage.yaml alone', async () => {
  const { stdout } = await project.run('store', 'list', '--json')
  expect(JSON.parse(stdout)).toMatchObject({
    stores: [
      { id: 'sunrise', configured: true },
      { id: 'sunset', configured: false, timeZone: 'America/New_York' },
    ],
  })
})

test('coverage names a store of which nothing was read beside one that was', async () => {
  project.configure([entry('sunset'), entry('sunrise')], { database: 'tillage.db' })
  const { status, stdout } = await project.run('coverage', 'transactions')
  expect(stdout).toMatch(/sunset +\d{4}/)
  expect(stdout).toContain('  sunrise: nothing of transactions was read yet')
  expect(status).toBe(3)
})

test('a store that left tillage.yaml is shown by name while its data is there, and another name is not', async () => {
  onDatabase(database => database.exec('DELETE FROM schedules; DELETE FROM attempts'))
  const status = await project.run('status', '--store', 'sunset')
  expect(status.stdout).toContain('is not in the configuration any more')
  expect(status.stdout).toMatch(/sunset +rows +proven/)
  for (const command of [['coverage', 'transactions'], ['findings']]) {
    const shown = await project.run(...command, '--store', 'sunset')
    expect(shown.stdout).toContain('sunset')
  }
  expect(await project.run('status', '--store', 'moonset')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('Stores are: sunrise, sunset.'),
  })
})

describe('a zone in tillage.yaml that is not that of what was read', () => {
  const days = ['--from', '2026-03-02', '--to', '2026-03-03']
  const withZone = (timeZone: string): void =>
    project.configure([{ ...entry('sunset'), timeZone }], { database: 'tillage.db' })

  test.each([
    [['export', 'transactions', ...days, '--format', 'csv']],
    [['journal', '--date', '2026-03-02']],
    [['books', 'refresh']],
  ])('cuts no day at another hour: %j is refused', async asked => {
    withZone('Asia/Tokyo')
    const { status, stderr } = await project.run(...asked)
    expect(stderr).toContain('STORE_ZONE: tillage.yaml says that sunset is in Asia/Tokyo')
    expect(stderr).toContain(
      'tillage store zone sunset Asia/Tokyo --dry-run shows the consequences',
    )
    expect(stderr).toContain('read with America/New_York')
    expect(status).toBe(1)
  })

  test('is named by status, which goes on showing the days as they were read', async () => {
    // Not what this is about, and not of a shape that can be read.
    onDatabase(database => {
      for (const table of tables(database))
        if (!['stores', 'windows'].includes(table)) database.exec(`DELETE FROM ${table}`)
    })
    withZone('Asia/Tokyo')
    const wrong = await project.run('status', '--json')
    expect([wrong.status, wrong.stderr]).toEqual([3, ''])
    const [store] = (
      JSON.parse(wrong.stdout) as { stores: { timeZone: string; attention: string[] }[] }
    ).stores
    expect(store!.timeZone).toBe('America/New_York')
    expect(store!.attention[0]).toContain('Asia/Tokyo')

    withZone('US/Eastern')
    const { stdout } = await project.run('status', '--json')
    expect(stdout).not.toContain('would be cut')
  })
})
