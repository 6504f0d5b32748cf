import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { serveConsole } from '../../commands/console/serve-console.ts'
import type { ServedConsole } from '../../commands/console/serve-console.ts'
import { loadConfig } from '../../config.ts'
import { startProject, storesOf } from '../helpers/project.ts'
import type { Project } from '../helpers/project.ts'
import { enter } from './console.ts'
import type { Visitor } from './console.ts'

const PAGES = ['/', '/coverage', '/books', '/plans', '/compliance', '/problems', '/runs']

let project: Project
let close: () => Promise<void>
let served: ServedConsole
let visitor: Visitor

beforeAll(async () => {
  const scene = await startProject({ seed: 5, stores: 1 })
  ;({ project, close } = scene)
  // Nothing listens there, so Temporal is away.
  const temporal = { address: '127.0.0.1:9', namespace: 'nobody' }
  expect((await project.run('sync', 'vendors')).status).toBe(0)
  project.configure(storesOf(scene.sandbox), { temporal })
  served = await serveConsole(loadConfig(join(project.folder, 'tillage.yaml')))
  visitor = await enter(served)
})

afterAll(async () => {
  await served.close()
  await close()
})

const openDatabase = (): Database.Database =>
  new Database(join(project.folder, 'tillage-data', 'tillage.db'))

it('shows every page while Temporal is away, and says that nobody knows of a worker', async () => {
  for (const path of PAGES) expect((await visitor.get(path)).status, path).toBe(200)
  expect((await visitor.get('/connections')).text).toContain('nobody knows yet')
})

it('shows every page while somebody writes: a page never waits for the writer', async () => {
  const writer = openDatabase()
  writer.exec('BEGIN IMMEDIATE')
  try {
    for (const path of PAGES) expect((await visitor.get(path)).status, path).toBe(200)
  } finally {
    writer.exec('ROLLBACK')
    writer.close()
  }
})

it('answers 503 where the database cannot be read, and is back with it', async () => {
  const holder = openDatabase()
  holder.pragma('locking_mode = EXCLUSIVE')
  // The page before it is over a moment later.
  await expect
    .poll(() => holder.pragma('journal_mode = DELETE', { simple: true }), { timeout: 10_000 })
    .toBe('delete')
  holder.exec('BEGIN EXCLUSIVE')
  try {
    const locked = await visitor.get('/')
    expect(locked.status).toBe(503)
    expect(locked.text).toContain('DATABASE_BUSY')
    expect((await visitor.get('/assets/console.css')).status).toBe(200)
  } finally {
    holder.exec('ROLLBACK')
    holder.pragma('journal_mode = WAL')
    holder.close()
  }
  expect((await visitor.get('/')).status).toBe(200)
})
