import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Project, RANGE } from '../helpers/project.ts'

const STORE = {
  id: 'downtown',
  baseUrl: 'http://127.0.0.1:1',
  partnerKey: 'partner',
  developerKey: 'developer',
  timeZone: 'America/Los_Angeles',
}

let project: Project
beforeAll(() => {
  project = new Project()
  project.configure([STORE])
})
afterAll(() => project.remove())

describe('a contradictory command line is refused with status 2, before anything starts', () => {
  test.each([
    [['sync', 'tills', ...RANGE], 'there is no stream "tills"'],
    [
      ['sync', '--from', '2026-02-30', '--to', '2026-03-15'],
      '"2026-02-30" is not a day of the calendar',
    ],
    [['sync', '--from', '03/01/2026'], 'Write days as yyyy-MM-dd'],
    [['sync', '--from', '2026-03-15', '--to', '2026-03-15'], 'is empty'],
    [['sync', '--from', '2099-01-01'], 'lies in the future'],
    [['sync', '--from', '0206-03-08'], '--from 0206-03-08 is before 1970-01-01'],
    [['sync', '--store', 'uptown', ...RANGE], 'there is no store "uptown"'],
    [['export', 'transactions', '--from', '2026-03-01'], '--to is missing'],
    [['export', 'transactions', ...RANGE, '--format', 'pdf'], 'there is no format "pdf"'],
    [['export', 'receipts', ...RANGE], 'there is no dataset "receipts"'],
    [['coverage', 'tills'], 'there is no stream "tills"'],
    [['sandbox', '--port', 'http'], 'expected a whole number'],
    [['sandbox', '--until', '2026-13-01'], 'is not a day of the calendar'],
    [['sandbox', '--profile', 'grumpy'], 'grumpy'],
    [['verify', '.'], '. is a folder'],
    [['plough'], "unknown command 'plough'"],
    [['sync', '--deep'], "unknown option '--deep'"],
    [['sync', '--config', 'missing.yaml'], 'the file does not exist'],
  ])('%j', async (args, message) => {
    const { status, stderr, stdout } = await project.run(...args)
    expect(stderr).toContain(message)
    expect(stdout).toBe('')
    expect(status).toBe(2)
  })
})

describe('a mistake on the command line is one JSON document under --json', () => {
  test.each([
    [['export', '--json'], "missing required argument 'datasets'"],
    [['plough', '--json'], "unknown command 'plough'"],
    [['sandbox', '--json', '--port', 'http'], 'expected a whole number'],
    [['dead-letters', '--json'], 'no command was named'],
    [['--json'], 'no command was named'],
    [['sync', 'tills', '--json'], 'there is no stream "tills"'],
  ])('%j', async (args, message) => {
    const { status, stdout } = await project.run(...args)
    expect(status).toBe(2)
    expect(JSON.parse(stdout)).toEqual({
      error: {
        code: 'USAGE',
        message: expect.stringContaining(message) as string,
        remedy: expect.any(String) as string,
      },
    })
  })
})

test('the demo leaves a folder alone that holds something which is not its own', async () => {
  for (const [folder, holds] of [
    ['.', 'tillage.yaml'],
    ['old', 'exports'],
    ['older', 'tillage.db'],
  ] as const) {
    if (folder !== '.') mkdirSync(join(project.folder, folder, holds), { recursive: true })
    const { status, stderr } = await project.run('demo', '--folder', folder)
    expect(stderr).toContain(`holds ${holds}, which no demo wrote`)
    expect(status).toBe(2)
    expect(existsSync(join(project.folder, folder, holds))).toBe(true)
  }
})

describe('what answers is not the API', () => {
  let server: Server
  beforeAll(async () => {
    server = createServer((_, response) =>
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>Welcome</title>'),
    )
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => new Promise(resolve => server.close(resolve)))

  test('a web page is told apart, with the remedy', async () => {
    project.configure([
      { ...STORE, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    ])
    const { status, stderr } = await project.run('sync', ...RANGE)
    expect(status).toBe(1)
    expect(stderr).toContain('PARTNER_NOT_API')
    expect(stderr).toContain('Check baseUrl in tillage.yaml')
  })

  test('no answer at all is reported, and nothing is lost', async () => {
    project.configure([STORE])
    const { status, stderr } = await project.run('sync', ...RANGE)
    expect(status).toBe(1)
    expect(stderr).toContain('PARTNER_UNREACHABLE')
    expect(project.query('SELECT count(*) FROM windows')).toEqual([[0]])
  })
})

describe('a database that cannot be used is left as it is', () => {
  /** A project whose database somebody else has written. */
  async function onDatabase(
    write: (path: string) => void,
    check: (other: Project, path: string) => Promise<void>,
  ): Promise<void> {
    const other = new Project()
    other.configure([STORE])
    const path = join(other.folder, 'tillage-data', 'tillage.db')
    mkdirSync(dirname(path))
    write(path)
    try {
      await check(other, path)
    } finally {
      await other.remove()
    }
  }

  const holding = (sql: string) => (path: string) => {
    const database = new Database(path)
    database.exec(sql)
    database.close()
  }

  test('a database of a newer version is refused', () =>
    onDatabase(
      holding(`
        CREATE TABLE kysely_migration (name text PRIMARY KEY, timestamp text NOT NULL);
        INSERT INTO kysely_migration VALUES ('9999-from-the-future', '')`),
      async newer => {
        const { status, stderr } = await newer.run('sync', ...RANGE)
        expect(status).toBe(1)
        expect(stderr).toContain('DATABASE_NEWER')
        expect(newer.query("SELECT name FROM sqlite_schema WHERE type = 'table'")).toEqual([
          ['kysely_migration'],
        ])
      },
    ))

  test('a file that is no database is refused, and keeps its bytes', () => {
    const text = 'this is a shopping list, not a database, and it is long enough to be looked at'
    return onDatabase(
      path => writeFileSync(path, text),
      async (broken, path) => {
        const { status, stderr } = await broken.run('status')
        expect(status).toBe(1)
        expect(stderr).toContain('DATABASE_BROKEN')
        expect(broken.read(path).toString()).toBe(text)
      },
    )
  })

  test('an empty database is not taken for stores without sales', () =>
    onDatabase(
      path => writeFileSync(path, ''),
      async (lost, path) => {
        for (const command of ['status', 'findings', 'files']) {
          const { status, stdout, stderr } = await lost.run(command)
          expect([status, stdout], command).toEqual([3, ''])
          expect(stderr).toContain('NOT_PROVEN: nothing was read yet: the database')
          expect(stderr).toContain('tillage restore FILE --replace')
          expect(lost.read(path)).toHaveLength(0)
        }
      },
    ))

  test('a database of another program is refused by readers and writers, and stays as it is', () =>
    onDatabase(holding('CREATE TABLE recipes (name text)'), async (other, path) => {
      const before = other.read(path)
      for (const args of [['status'], ['sync', ...RANGE]]) {
        const { status, stderr } = await other.run(...args)
        expect(status, args[0]).toBe(1)
        expect(stderr).toContain('DATABASE_BROKEN')
        expect(stderr).toContain('none of Tillage: it holds recipes')
        expect(other.read(path)).toEqual(before)
      }
    }))

  test('a folder that cannot be made is named', async () => {
    const nowhere = new Project()
    writeFileSync(join(nowhere.folder, 'file'), '')
    nowhere.configure([STORE], { database: './file/tillage.db' })
    try {
      const { status, stderr } = await nowhere.run('sync', ...RANGE)
      expect(status).toBe(1)
      expect(stderr).toContain('DATABASE_BROKEN')
    } finally {
      await nowhere.remove()
    }
  })
})
