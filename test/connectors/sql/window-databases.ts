import { afterAll } from 'vitest'
import type { DeadLetters } from '../../../connectors/destination/dead-letters.ts'
import type {
  CommittedWindow,
  WindowToCommit,
  WindowWriter,
} from '../../../connectors/destination/windows.ts'
import { createPageReader } from '../../../connectors/partner/read-page.ts'
import { openConnections } from '../../../connectors/postgres/connection/connections.ts'
import { sqlOn } from '../../../connectors/postgres/connection/sql-connection.ts'
import { migrate as migratePostgres } from '../../../connectors/postgres/schema/migrate.ts'
import { storedView } from '../../../connectors/postgres/schema/stream-views.ts'
import { createWindows } from '../../../connectors/postgres/window/window-writer.ts'
import { openConnection } from '../../../connectors/sqlite/connection/open-connection.ts'
import { migrate as migrateSqlite } from '../../../connectors/sqlite/schema/migrate.ts'
import { openWriter } from '../../../connectors/sqlite/writer/writer.ts'
import type { Stream } from '../../../connectors/stream.ts'
import { pageToStage, supersededRows } from '../../../reading/reading.ts'
import { postgresForTests } from '../../helpers/postgres.ts'
import { newPath, WINDOW } from '../sqlite/window-database.ts'

type Row = Record<string, unknown>

/** A database with the tables of some streams, and the writer of its windows. */
interface Opened extends Pick<DeadLetters, 'replay' | 'discard'> {
  windows: WindowWriter
  all: (sql: string, ...parameters: unknown[]) => Promise<Row[]>
  close: () => Promise<void>
}

export interface WindowDatabase extends Opened {
  /**
   * Stages pages of records, as JSON texts, and commits them as one window, the way that a sync
   * does.
   */
  load: (
    stream: Stream,
    pages: readonly (readonly string[])[],
    changes?: Partial<WindowToCommit>,
  ) => Promise<CommittedWindow>
}

/** Opens a new one; the file that asks for it closes it at its end. */
export type OpenWindows = (streams: readonly Stream[]) => Promise<WindowDatabase>

export const WINDOW_KINDS: Readonly<Record<string, OpenWindows>> = {
  SQLite: streams => opened(streams, openSqlite),
  PostgreSQL: streams => opened(streams, openPostgres),
}

const open: Opened[] = []

afterAll(async () => {
  for (const database of open.splice(0)) await database.close()
})

async function opened(
  streams: readonly Stream[],
  how: (streams: readonly Stream[], path: string) => Promise<Opened>,
): Promise<WindowDatabase> {
  const database = await how(streams, newPath())
  open.push(database)
  const readers = new Map(
    streams.map(stream => [stream.name, createPageReader({ ...stream, answers: 'complete' })]),
  )
  let readings = 0
  return {
    ...database,
    async load(stream, pages, changes = {}) {
      const reading = `r${++readings}`
      const staged = []
      for (const [page, records] of pages.entries()) {
        const read = readers.get(stream.name)!(
          Buffer.from(`{"values":[${records.join(',')}],"total":${records.length}}`),
          { startMs: -Infinity, endMs: Infinity },
        )
        await database.windows.stage(pageToStage(reading, read, page))
        staged.push(read.rows)
      }
      const { superseded, rows } = supersededRows(staged)
      const window = { ...WINDOW, reading, stream: stream.name, superseded, fetched: rows }
      try {
        return await database.windows.commit({ ...window, ...changes })
      } finally {
        await database.windows.discard(reading)
      }
    },
  }
}

async function openSqlite(streams: readonly Stream[], path: string): Promise<Opened> {
  await migrateSqlite(path, streams)
  const connection = openConnection(path, { readonly: true })
  const writer = openWriter(path, streams)
  return {
    windows: writer.windows,
    replay: writer.replay,
    discard: writer.discard,
    all: async (sql, ...parameters) => connection.prepare(sql).all(...parameters) as Row[],
    async close() {
      connection.close()
      await writer.close()
    },
  }
}

/** The names of the views show everything as it is kept, as SQLite's do. */
async function openPostgres(streams: readonly Stream[], path: string): Promise<Opened> {
  const { url, schema } = await postgresForTests()
  const connections = openConnections(url)
  await migratePostgres(connections, streams)
  const sql = sqlOn(connections)
  await sql.run(`CREATE SCHEMA ${schema}_exact`)
  for (const { name, children } of streams)
    for (const view of [name, `${name}_seen`, `${name}_versions`, ...Object.keys(children)])
      await sql.run(`CREATE VIEW ${schema}_exact.${view} AS SELECT * FROM ${storedView(view)}`)
  const windows = createWindows(connections, streams, path)
  return {
    ...windows,
    async all(text, ...parameters) {
      let count = 0
      const client = await connections.connect()
      try {
        await client.query(`SET search_path TO ${schema}_exact, ${schema}`)
        const numbered = text.replaceAll('?', () => `$${++count}`)
        return (await client.query<Row>(numbered, parameters)).rows
      } finally {
        // With its own search path it is no use to anybody else.
        client.release(true)
      }
    },
    async close() {
      windows.close()
      await connections.end()
    },
  }
}
