import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { findWidePaths } from '../../../commands/doctor/wide-paths.ts'
import type { Config } from '../../../config.ts'
import { Project } from '../../helpers/project.ts'

let folder: string
let config: Config
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tillage-modes-'))
  const data = join(folder, 'data')
  mkdirSync(join(data, 'exports'), { recursive: true })
  writeFileSync(join(data, 'tillage.db'), '')
  config = { localFiles: join(data, 'tillage.db'), exports: join(data, 'exports') } as Config
})
afterEach(() => rmSync(folder, { recursive: true }))

it('names what other users of the machine may read', () => {
  chmodSync(join(folder, 'data'), 0o755)
  chmodSync(config.localFiles, 0o644)
  chmodSync(config.exports, 0o750)
  expect(findWidePaths(config)).toEqual([
    { path: config.localFiles, mode: '0644' },
    { path: config.exports, mode: '0750' },
  ])
})

it('names nothing that is closed, or lies in a folder that is', () => {
  chmodSync(config.localFiles, 0o600)
  chmodSync(config.exports, 0o700)
  chmodSync(join(folder, 'data'), 0o755)
  expect(findWidePaths(config)).toEqual([])
  chmodSync(config.localFiles, 0o644)
  chmodSync(join(folder, 'data'), 0o700)
  expect(findWidePaths(config)).toEqual([])
})

it('finds nothing to name in what the program makes, whatever the umask of the shell', async () => {
  const project = new Project()
  const store = { id: 'a', baseUrl: 'http://127.0.0.1:1', partnerKey: 'p', developerKey: 'd' }
  project.configure([{ ...store, timeZone: 'UTC' }])
  const before = process.umask(0)
  try {
    expect((await project.run('doctor')).status).toBe(1)
  } finally {
    process.umask(before)
  }
  const data = join(project.folder, 'tillage-data')
  expect(statSync(data).mode & 0o777).toBe(0o700)
  expect(statSync(join(data, 'tillage.db')).mode & 0o777).toBe(0o600)
  await project.remove()
})
