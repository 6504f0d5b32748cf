import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import { afterAll } from 'vitest'
import type { CommittedWindow, WindowToCommit } from '../../../connectors/destination/windows.ts'
import { createPageReader } from '../../../connectors/partner/read-page.ts'
import { openConnection } from '../../../connectors/sqlite/connection/open-connection.ts'
import { migrate } from '../../../connectors/sqlite/schema/migrate.ts'
import type { Stream } from '../../../connectors/stream.ts'
import { pageToStage, supersededRows } from '../../../reading/reading.ts'
import { createStagingStore } from './staging-store.ts'
import type { StagingStore } from './staging-store.ts'

const folders: string[] = []
const connections: Database.Database[] = []

afterAll(() => {
  for (const connection of connections.splice(0)) connection.close()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** A place for a database of a test, removed after the file. */
export function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tillage-test-'))
  folders.push(folder)
  return join(folder, 'tillage.db')
}

export interface WindowDatabase {
  path: string
  connection: Database.Database
  store: StagingStore
  all: (sql: string, ...parameters: unknown[]) => Record<string, unknown>[]
  /**
   * Stages pages of records, as JSON texts, and commits them as one window, the way that a sync
   * does.
   */
  load: (
    stream: Stream,
    pages: readonly (readonly string[])[],
    changes?: Partial<WindowToCommit>,
  ) => CommittedWindow
}

/**
 * A real database with the tables of these streams, written by the code that the writing thread
 * runs.
 */
export async function openDatabase(
  streams: readonly Stream[],
  path = newPath(),
): Promise<WindowDatabase> {
  await migrate(path, streams)
  const connection = openConnection(path)
  connections.push(connection)
  const store = createStagingStore(connection, streams)
  const readers = new Map(
    streams.map(stream => [stream.name, createPageReader({ ...stream, answers: 'complete' })]),
  )
  return {
    path,
    connection,
    store,
    all: (sql, ...parameters) =>
      connection.prepare(sql).all(...parameters) as Record<string, unknown>[],
    load(stream, pages, changes = {}) {
      const staged = pages.map((records, page) => {
        const read = readers.get(stream.name)!(
          Buffer.from(`{"values":[${records.join(',')}],"total":${records.length}}`),
          { startMs: -Infinity, endMs: Infinity },
        )
        store.stage(pageToStage('r', read, page))
        return read.rows
      })
      const { superseded, rows } = supersededRows(staged)
      try {
        return store.commit({
          ...WINDOW,
          reading: 'r',
          stream: stream.name,
          superseded,
          fetched: rows,
          ...changes,
        })
      } finally {
        store.discard('r')
      }
    },
  }
}

/** A window of which the test says the rest. */
export const WINDOW: Omit<WindowToCommit, 'reading' | 'stream' | 'superseded' | 'fetched'> = {
  store: 'downtown',
  window: { start: '2026-03-01T00:00:00.000Z', end: '2026-03-07T00:00:00.000Z' },
  status: 'proven',
  evidence: { by: 'a test' },
  findings: [],
  readAt: '2026-03-08T00:00:00.000Z',
}
