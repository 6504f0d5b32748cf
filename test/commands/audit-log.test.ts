import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { COMMANDS } from '../../commands/index.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { migrate } from '../../connectors/sqlite/schema/migrate.ts'
import { Project } from '../helpers/project.ts'

let project: Project
let path: string
beforeEach(async () => {
  project = new Project()
  path = join(project.folder, 'tillage.db')
  const store = { baseUrl: 'http://127.0.0.1:1', partnerKey: 'p', developerKey: 'd' }
  project.configure([{ id: 'downtown', ...store }], { database: 'tillage.db' })
  await migrate(path, streams)
  onDatabase(`INSERT INTO dead_letters VALUES
    ('downtown', 'members', 'M1', 'no id', '{"firstName":"Ada"}', 's', 'e', 'now')`)
})
afterEach(() => project.remove())

function onDatabase(sql: string): void {
  const database = new Database(path)
  try {
    database.exec(sql)
  } finally {
    database.close()
  }
}

interface Log {
  entries: { act: string; who: string; detail: Record<string, unknown> }[]
  breaks: string[]
}
const log = async (): Promise<Log> => {
  const { stdout } = await project.run('audit-log', '--json')
  return JSON.parse(stdout) as Log
}

/** What the log keeps of a command; undefined where it keeps nothing. */
async function auditedOf(words: string, options: object, ...names: unknown[]): Promise<unknown> {
  const [name, inner] = words.split(' ')
  const loaded = await COMMANDS.find(command => command.name === name)!.load()
  const command =
    'subcommands' in loaded ? loaded.subcommands.find(one => one.name === inner)!.command : loaded
  return command.audited?.(options as Record<string, unknown>, ...names)
}

test.each([
  ['dead-letters show', {}, ['M1']],
  ['dead-letters discard', { by: 'Ana', reason: 'r' }, [['M1']]],
  ['history', { values: true }, ['members', 'M1']],
  ['export', { people: true }, [['members']]],
  ['api', {}, ['delete', '/webhooks/W1']],
  ['api', { write: true }, ['GET', '/store']],
  ['books', { by: 'Ana' }, ['close', '2026-02']],
  ['books', { by: 'Ana' }, ['reopen', '2026-02']],
  ['journal', { date: '2026-02-01', suspense: true, reason: 'r' }, []],
  ['journal', { date: '2026-02-01', reissue: true, by: 'Ana' }, []],
  ['push approve', { by: 'Ana' }, ['PL-1']],
  ['push apply', {}, ['PL-1']],
  ['push undo', {}, ['PL-1']],
  ['push resolve', { by: 'Ana', sent: 'yes' }, ['PL-1', 'op']],
  ['reconcile approve', { by: 'Ana' }, ['PLN-1']],
  ['reconcile apply', {}, ['PLN-1']],
  ['reconcile resolve', { by: 'Ana', as: 'retry', reason: 'r' }, ['PLN-1', 'op']],
  ['audit discard', { by: 'Ana', reason: 'r' }, ['AUD-1']],
  ['audit confirm', { by: 'Ana', reason: 'r' }, ['AUD-1']],
  ['audit withdraw', { by: 'Ana', reason: 'r' }, ['AUD-1']],
  ['audit done', { by: 'Ana', reason: 'r' }, ['AUD-1', 'notice']],
  ['schedule apply', {}, []],
  ['schedule pause', { reason: 'r' }, [['nightly/a']]],
])('%s %j is kept in the audit log', async (words, options, names) => {
  expect(await auditedOf(words, options, ...names)).toBeDefined()
})

/** Take somebody's name or reason, and write their own entry, with what came of it. */
const WRITE_THEIR_OWN = ['store rename', 'store evict', 'store zone', 'forget']

test('every command that takes a name or a reason has an entry in the audit log', async () => {
  const commands = await Promise.all(
    COMMANDS.map(async ({ name, load }) => {
      const loaded = await load()
      return 'subcommands' in loaded
        ? loaded.subcommands.map(one => ({ ...one.command, name: `${name} ${one.name}` }))
        : [{ ...loaded, name }]
    }),
  )
  const silent = commands
    .flat()
    .filter(({ audited }) => audited === undefined)
    .filter(({ options = [] }) => options.some(({ long }) => /^--(by|reason)$/.test(long ?? '')))
  expect(silent.map(({ name }) => name)).toEqual(WRITE_THEIR_OWN)
})

test.each([
  ['dead-letters list', {}, []],
  ['history', {}, ['members', 'M1']],
  ['export', {}, [['members']]],
  ['api', {}, ['GET', '/store']],
  ['api', {}, []],
  ['api', { dryRun: true }, ['DELETE', '/webhooks/W1']],
  ['books', {}, []],
  ['journal', { date: '2026-02-01' }, []],
  ['push plan', {}, ['products', 'f.csv', []]],
  ['reconcile show', {}, ['PLN-1']],
  ['schedule list', {}, []],
  ['sync', {}, [[]]],
])('%s %j is an ordinary run', async (words, options, names) => {
  expect(await auditedOf(words, options, ...names)).toBeUndefined()
})

test('an act is kept with who, when and what, and no value; one that failed says so', async () => {
  await project.run('dead-letters', 'show', 'M1')
  await project.run('history', 'members', 'M9', '--values')
  const { entries, breaks } = await log()
  expect(breaks).toEqual([])
  expect(entries.map(({ act, detail }) => [act, detail])).toEqual([
    ['dead-letters show', { key: 'M1' }],
    ['history', { stream: 'members', id: 'M9' }],
    ['history', { stream: 'members', id: 'M9', failed: 'USAGE' }],
  ])
  expect(entries.every(({ who }) => who !== '')).toBe(true)
  expect(JSON.stringify(entries)).not.toContain('Ada')
})

test('a backup is kept in it, and brings no older database up to date', async () => {
  expect(await project.run('backup', 'b.db')).toMatchObject({ status: 0 })
  expect((await log()).entries).toMatchObject([
    { act: 'backup', detail: { file: join(project.folder, 'b.db') } },
  ])
  // Longer than any file may be called while it is made.
  const failing = `${'x'.repeat(250)}.db`
  const { status, stderr } = await project.run('backup', failing)
  expect([status, stderr]).toEqual([2, expect.stringContaining(failing) as string])
  expect((await log()).entries.slice(1)).toMatchObject([
    { act: 'backup', detail: { file: join(project.folder, failing) } },
    { act: 'backup', detail: { failed: expect.any(String) as string } },
  ])
  onDatabase('DROP TABLE audit_log')
  expect(await project.run('backup', 'c.db')).toMatchObject({ status: 0 })
  expect(() => onDatabase('SELECT * FROM audit_log')).toThrow('no such table')
})

test('an entry that was changed or removed is found, by audit-log and by verify without a configuration', async () => {
  for (let times = 0; times < 2; times++) await project.run('dead-letters', 'show', 'M1')
  expect(() => onDatabase("UPDATE audit_log SET who = 'x'")).toThrow('only added to')
  expect(() => onDatabase('DELETE FROM audit_log')).toThrow('only added to')
  expect(await project.run('verify', 'tillage.db', '--config', 'none')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('entries of the audit log are as they were written'),
  })
  onDatabase('DROP TRIGGER audit_log_stays; DELETE FROM audit_log WHERE seq = 2')
  const cut = await project.run('verify', 'tillage.db', '--json')
  expect(cut.status).toBe(1)
  expect(JSON.parse(cut.stdout)).toMatchObject({ breaks: ['entry 2 is missing'] })
  expect(await project.run('audit-log')).toMatchObject({ status: 1 })
})
