import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { serveConsole } from '../../commands/console/serve-console.ts'
import type { ServedConsole } from '../../commands/console/serve-console.ts'
import { loadConfig } from '../../config.ts'
import { openDestination } from '../../connectors/database.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { startProject, storesOf } from '../helpers/project.ts'
import type { Project } from '../helpers/project.ts'
import { csrfOf, enter } from './console.ts'
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
  await keepNights(project)
  served = await serveConsole(loadConfig(join(project.folder, 'tillage.yaml')))
  visitor = await enter(served)
})

/** As they are kept once a worker has told Temporal of them. */
async function keepNights({ folder }: Project): Promise<void> {
  const config = loadConfig(join(folder, 'tillage.yaml'))
  await using destination = await openDestination(config, streams)
  await destination.schedules.keep({
    id: 'nightly/downtown',
    kind: 'nightly',
    store: 'downtown',
    facts: { every: 'daily', at: '00:00', timeZone: 'UTC' },
    since: new Date().toISOString(),
    pausedAt: undefined,
    note: undefined,
  })
}

afterAll(async () => {
  await served.close()
  await close()
})

const openDatabase = (): Database.Database =>
  new Database(join(project.folder, 'tillage-data', 'tillage.db'))

it('shows every page while Temporal is away, and says that nobody knows of a worker', async () => {
  const textOf = async (path: string): Promise<string> => (await visitor.get(path)).text
  expect(await textOf('/connections')).toContain('nobody knows yet')
  expect(await textOf('/runs')).toContain('Whether a worker is up is not known yet.')
  for (const path of PAGES) expect((await visitor.get(path)).status, path).toBe(200)
  // As soon as it is known, and not only after a minute.
  await expect
    .poll(() => textOf('/runs'), { timeout: 30_000 })
    .toContain('Temporal does not answer, so nothing starts by itself.')
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
    const token = csrfOf(await visitor.get('/sign-in-again'))
    const askedMs = performance.now()
    const locked = await Promise.all(PAGES.map(path => visitor.get(path)))
    const journal = { store: 'downtown', day: '2026-03-05' }
    const fields = { _csrf: token, _action: randomUUID(), ...journal }
    locked.push(await visitor.post('/do/write-journal', fields))
    for (const { status, text } of locked) {
      expect(status).toBe(503)
      expect(text).toContain('DATABASE_BUSY')
      expect(text).toContain('Load this page again')
      expect(text).not.toContain('A sync tries again')
    }
    expect((await visitor.get('/assets/console.css')).status).toBe(200)
    // Each would take five seconds, one after the other, if SQLite itself waited.
    expect(performance.now() - askedMs).toBeLessThan(5_000)
  } finally {
    holder.exec('ROLLBACK')
    holder.pragma('journal_mode = WAL')
    holder.close()
  }
  expect((await visitor.get('/')).status).toBe(200)
})
