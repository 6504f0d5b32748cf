import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { exitStatusOf } from '../commands/terminal/error.ts'
import {
  askDisk,
  diskError,
  explainFileError,
  makeFolder,
  whatIsFull,
  writeNewFile,
} from '../disk.ts'

const run = promisify(execFile)
const newFolder = (): string => mkdtempSync(join(tmpdir(), 'tillage-disk-'))
const failureOf = (work: () => void): unknown => {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('it should have failed')
}

/** A program of ours in a process whose files may not be larger than so many kilobytes. */
async function underLimit(kilobytes: number, script: string): Promise<unknown> {
  const module = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url))
  const text = script.replace(/FROM\((\S+?)\)/g, (_, name: string) => JSON.stringify(module(name)))
  const { stdout } = await run('bash', [
    '-c',
    `ulimit -f ${kilobytes}; exec "$0" --input-type=module -e "$1"`,
    process.execPath,
    text,
  ])
  return JSON.parse(stdout)
}

describe('a folder', () => {
  it('is made with those above it, also a second time', () => {
    const folder = join(newFolder(), 'a b', 'ü')
    makeFolder(folder)
    makeFolder(folder)
    expect(existsSync(folder)).toBe(true)
  })

  it('is refused below a file, and in its place', () => {
    const file = join(newFolder(), 'file')
    writeFileSync(file, '')
    expect(failureOf(() => makeFolder(file))).toMatchObject({ code: 'EEXIST' })
    expect(failureOf(() => makeFolder(join(file, 'below')))).toMatchObject({ code: 'EEXIST' })
  })

  it.runIf(process.platform === 'linux')('is refused where the system has none, at once', () => {
    expect(failureOf(() => makeFolder('/proc/tillage/exports'))).toMatchObject({ code: 'ENOENT' })
  })
})

describe('what the disk says', () => {
  it.each([
    ['ENOSPC', 'DATABASE_FULL', 'Free some space'],
    ['SQLITE_FULL', 'DATABASE_FULL', 'Free some space'],
    ['EDQUOT', 'DATABASE_FULL', 'quota'],
    ['EFBIG', 'DATABASE_FULL', 'ulimit -f'],
    ['EMFILE', 'TOO_MANY_FILES', 'ulimit -n'],
    ['ENFILE', 'TOO_MANY_FILES', 'ulimit -n'],
    ['EROFS', 'DATABASE_BROKEN', 'Mount it for writing'],
    ['EIO', 'DATABASE_BROKEN', 'copy the whole folder'],
  ])('turns %s into %s, with what to do and what became of the work', (cause, code, remedy) => {
    expect(diskError('/data/x', cause, { kept: 'nothing was begun' })).toMatchObject({
      code,
      message: expect.stringMatching(/\/data\/x.*; nothing was begun$/) as string,
      remedy: expect.stringContaining(remedy) as string,
    })
    expect(diskError('/data/x', 'ECONNREFUSED')).toBeUndefined()
  })

  it('is asked where a program only said "I/O error", and nothing is left of the question', () => {
    const folder = newFolder()
    expect(askDisk(join(folder, 'a.db'))).toBeUndefined()
    expect(askDisk(join(folder, 'nowhere', 'a.db'))).toBeUndefined()
    expect(readdirSync(folder)).toEqual([])
  })

  it('names the temporary files, too, where they lie on a disk of their own', () => {
    const path = join(newFolder(), 'a.db')
    expect(whatIsFull(path, tmpdir())).toBe(path)
    expect(whatIsFull(path, '/no/such/folder')).toBe(path)
    expect(whatIsFull('/no/such/folder/a.db', tmpdir())).toBe('/no/such/folder/a.db')
    const other = '/dev/shm'
    if (!existsSync(other) || statSync(other).dev === statSync(tmpdir()).dev) return
    expect(whatIsFull(path, other)).toBe(
      `${path}, or the one that holds the temporary files, ${other},`,
    )
    expect(whatIsFull(join(other, 'a.db'), tmpdir())).toMatch(/or the one that holds/)
  })

  it.skipIf(process.platform === 'win32')(
    'tells a limit of file sizes from a broken disk, whatever SQLite calls it',
    async () => {
      const path = join(newFolder(), 'a.db')
      const said = await underLimit(
        400,
        `const { openConnection, asDatabaseError } = {
          ...(await import(FROM(connectors/sqlite/connection/open-connection.ts))),
          ...(await import(FROM(connectors/sqlite/connection/sqlite-errors.ts))),
        }
        let sqlite
        try {
          const database = openConnection(${JSON.stringify(path)})
          database.exec('CREATE TABLE t (x)')
          for (let n = 0; n < 1000; n++) database.prepare('INSERT INTO t VALUES (?)').run('x'.repeat(9000))
        } catch (error) {
          const { code, message } = asDatabaseError(${JSON.stringify(path)}, error)
          console.log(JSON.stringify({ sqlite: error.code, code, message }))
        }`,
      )
      expect(said).toMatchObject({
        sqlite: expect.stringMatching(/^SQLITE_IOERR/) as string,
        code: 'DATABASE_FULL',
        message: expect.stringContaining('EFBIG') as string,
      })
    },
  )

  it.skipIf(process.platform === 'win32')('leaves no half of a new file', async () => {
    const folder = newFolder()
    const said = await underLimit(
      0,
      `const { writeNewFile } = await import(FROM(disk.ts))
      try { writeNewFile(${JSON.stringify(join(folder, 'new.yaml'))}, 'stores: []') }
      catch ({ code, message }) { console.log(JSON.stringify({ code, message })) }`,
    )
    expect(said).toMatchObject({ code: 'DATABASE_FULL' })
    expect(readdirSync(folder)).toEqual([])
    writeFileSync(join(folder, 'there'), 'kept')
    expect(() => writeNewFile(join(folder, 'there'), 'x')).toThrow(/EEXIST/)
    expect(readdirSync(folder)).toEqual(['there'])
  })
})

it('an error about a file that somebody named is a mistake with a remedy, and a bug stays one', () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'file'), '')
  const wrong = explainFileError(failureOf(() => writeFileSync(join(folder, 'file', 'below'), '')))
  expect(wrong).toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining('no folder') as string,
  })
  expect(exitStatusOf(wrong)).toBe(2)
  const bug = new TypeError('x is not a function')
  expect(explainFileError(bug)).toBe(bug)
  const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED', syscall: 'connect' })
  expect(explainFileError(refused)).toBe(refused)
})
