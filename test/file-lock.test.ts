import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isFileLocked, tryFileLock } from '../file-lock.ts'

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'tillage-lock-'))

test('a lock is for one at a time, and writes nothing beside its empty file', () => {
  const folder = newFolder()
  const path = join(folder, 'a.lock')
  const unlock = tryFileLock(path)
  expect(unlock).toBeDefined()
  expect(readdirSync(folder)).toEqual(['a.lock'])
  expect(tryFileLock(path)).toBeUndefined()
  expect(isFileLocked(path)).toBe(true)
  unlock!()
  expect(isFileLocked(path)).toBe(false)
  const again = tryFileLock(path)
  expect(again).toBeDefined()
  again!()
})

test('a lock that cannot be made says so with a code and what to do', () => {
  const folder = newFolder()
  expect(() => tryFileLock(folder)).toThrow(
    expect.objectContaining({
      code: 'DATABASE_BROKEN',
      message: `the lock file ${folder} cannot be made (SQLITE_CANTOPEN)`,
      remedy: expect.stringContaining('space'),
    }),
  )
})
