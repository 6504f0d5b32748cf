import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadConfig } from '../../config.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { members } from '../../connectors/partner/streams/members.ts'
import { connect } from '../../worker.ts'
import { openDatabase } from '../connectors/sqlite/window-database.ts'
import type { WindowDatabase } from '../connectors/sqlite/window-database.ts'
import { Project } from '../helpers/project.ts'

const DAY_MS = 86_400_000
const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString()

let project: Project
let database: WindowDatabase
const configure = (retention?: object): void => {
  const store = { baseUrl: 'http://127.0.0.1:1', partnerKey: 'p', developerKey: 'd' }
  const rest = { database: 'tillage.db', ...(retention === undefined ? {} : { retention }) }
  project.configure([{ id: 'downtown', ...store }], rest)
}
const counts = (): unknown =>
  database.all(`SELECT (SELECT count(*) FROM members) AS members, (SELECT count(*) FROM versions) AS versions,
    (SELECT count(*) FROM readings) AS readings, (SELECT count(*) FROM discarded_letters) AS letters,
    (SELECT count(*) FROM audit_log) AS log`)[0]

beforeEach(async () => {
  project = new Project()
  database = await openDatabase(streams, join(project.folder, 'tillage.db'))
  // Four states of one member, one of them seen twice: the newest stands, the one before was
  // replaced 10 days ago.
  for (const [state, days] of [
    [0, 900],
    [0, 850],
    [1, 800],
    [2, 700],
    [3, 10],
  ] as const)
    database.load(members, [[JSON.stringify({ id: 'M1', modified: 1_772_000_000_000 + state })]], {
      readAt: daysAgo(days),
    })
  for (const days of [900, 10])
    database.connection
      .prepare(
        "INSERT INTO discarded_letters VALUES ('downtown', 'members', 'k', 'r', '{}', 's', 'e', 'f', ?, 'Ana', 'w')",
      )
      .run(daysAgo(days))
})
afterEach(() => project.remove())

test('purge removes only what is older than its retention; a dry run lists the same and removes nothing', async () => {
  configure({ versionsDays: 730, discardedLettersDays: 365, readingsDays: 730 })
  const expected = [
    { table: 'versions', rows: 1 },
    { table: 'discarded_letters', rows: 1 },
    // The one that found nothing new; rows and versions point at the others.
    { table: 'readings', rows: 1 },
  ]
  const before = counts()
  const dry = await project.run('purge', '--dry-run', '--json')
  expect(JSON.parse(dry.stdout)).toMatchObject({ dryRun: true, purged: expected })
  expect(counts()).toEqual(before)
  const done = await project.run('purge', '--json')
  expect(done.status).toBe(0)
  expect(JSON.parse(done.stdout)).toMatchObject({ dryRun: false, purged: expected })
  expect(counts()).toEqual({ members: 1, versions: 2, readings: 4, letters: 1, log: 1 })
  expect(database.all('SELECT seen_to FROM members_versions WHERE seen_from IS NULL')).toEqual([])
})

test('without a retention everything stays, and one that loses the age of versions is a mistake', async () => {
  configure()
  const { status, stderr } = await project.run('purge')
  expect(status).toBe(2)
  expect(stderr).toContain('everything is kept')
  configure({ versionsDays: 900, readingsDays: 30 })
  expect((await project.run('purge')).stderr).toContain(
    'retention.readingsDays must not be shorter',
  )
})

test('Temporal is told how long to keep what is over', async () => {
  configure({ temporalDays: 9 })
  expect(await project.run('purge')).toMatchObject({ status: 0 })
  const connected = await connect(loadConfig(join(project.folder, 'tillage.yaml')), () => {})
  try {
    const { config } = await connected.client.workflowService.describeNamespace({
      namespace: 'default',
    })
    expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(9 * 86_400)
  } finally {
    await connected.close()
  }
})
