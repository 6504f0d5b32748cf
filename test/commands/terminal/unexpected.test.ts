import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { formatError } from '../../../commands/terminal/error.ts'
import { explainUnexpected } from '../../../commands/terminal/unexpected.ts'
import { streams } from '../../../connectors/partner/streams/index.ts'
import { openDestination } from '../../../connectors/sqlite/destination.ts'
import { TillageError } from '../../../errors.ts'
import { Project } from '../../helpers/project.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tillage-unexpected-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))
const occasion = () => ({
  localFiles: join(folder, 'data', 'tillage.db'),
  command: 'push apply',
})
const log = (): string => join(folder, 'data', 'errors.log')

describe('an error that nobody foresaw', () => {
  test('is a sentence with a code, and its stack stands in a log for its owner alone', () => {
    const cause = new RangeError('below')
    const shown = formatError(explainUnexpected(new TypeError('x is not y', { cause }), occasion()))
    expect(shown).toContain('UNKNOWN: tillage push apply failed unexpectedly: x is not y')
    expect(shown).toContain(log())
    expect(shown).not.toMatch(/^ +at /m)
    const kept = readFileSync(log(), 'utf8')
    expect(kept).toMatch(
      /tillage push apply\nTypeError: x is not y\n +at [^]+caused by: RangeError/,
    )
    expect(statSync(log()).mode & 0o777).toBe(0o600)
  })

  test('of ours is not one of them: nothing is logged', () => {
    const ours = new TillageError('NOT_PROVEN', 'nothing to export')
    expect(explainUnexpected(ours, occasion())).toBe(ours)
    expect(() => statSync(log())).toThrow('ENOENT')
  })

  test('is added to the log, which begins anew when it has grown large', () => {
    explainUnexpected(new Error('first'), occasion())
    explainUnexpected(new Error('second'), occasion())
    expect(readFileSync(log(), 'utf8')).toMatch(/first[^]+second/)
    writeFileSync(log(), 'x'.repeat(1_000_001))
    explainUnexpected(new Error('third'), occasion())
    expect(readFileSync(log(), 'utf8')).toMatch(/^[^x]+third/)
  })

  test('is shown whole where there is no place for a log', () => {
    mkdirSync(join(folder, 'data'))
    writeFileSync(join(folder, 'data', 'in-the-way'), '')
    const localFiles = join(folder, 'data', 'in-the-way', 'tillage.db')
    const error = new Error('whole')
    expect(explainUnexpected(error, { localFiles, command: 'status' })).toBe(error)
    expect(formatError(error)).toMatch(/^ +at /m)
  })
})

test('a table that somebody dropped is told in a sentence, as JSON, too', async () => {
  const project = new Project()
  try {
    const keys = { partnerKey: 'p', developerKey: 'd' }
    project.configure([{ id: 'downtown', baseUrl: 'http://127.0.0.1:1', ...keys }])
    const data = join(project.folder, 'tillage-data')
    const path = join(data, 'tillage.db')
    await (await openDestination(path, streams)).close()
    const database = new Sqlite(path)
    database.exec('DROP TABLE windows')
    database.close()
    const { status, stderr, stdout } = await project.run('coverage', 'vendors', '--json')
    expect([status, stderr]).toEqual([1, expect.stringContaining('no such table: windows')])
    expect(stderr).toContain('DATABASE_BROKEN')
    expect(stderr).not.toMatch(/^ +at /m)
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'DATABASE_BROKEN' } })
    expect(readFileSync(join(data, 'errors.log'), 'utf8')).toMatch(/SqliteError.+\n +at /)
  } finally {
    await project.remove()
  }
})
