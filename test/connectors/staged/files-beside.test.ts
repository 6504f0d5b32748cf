import { closeSync, existsSync, fstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openNameless } from '../../../connectors/staged/files-beside.ts'

let folder: string
let database: Database.Database
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tillage-beside-'))
  database = new Database(join(folder, 'tillage.db'))
})
afterEach(() => {
  database.close()
  rmSync(folder, { recursive: true })
})

const namesInFolder = (): string[] => readdirSync(folder).filter(name => name !== 'tillage.db')

it('a file beside the database has its name only for whoever needs it', () => {
  let seen = false
  const file = openNameless(database.name, path => (seen = existsSync(path)))
  closeSync(file)
  expect(seen).toBe(true)
  expect(namesInFolder()).toEqual([])
})

it('a file that cannot be used, as on a full disk, is closed and has no name either', () => {
  let opened = -1
  const fill = (): void =>
    void openNameless(database.name, (_, file) => {
      opened = file
      throw new Error('no space left')
    })
  expect(fill).toThrow('no space left')
  expect(() => fstatSync(opened)).toThrow('EBADF')
  expect(namesInFolder()).toEqual([])
})
