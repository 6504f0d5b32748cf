import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll } from 'vitest'
import { DAY_MS, fromIso, toIso } from '../../../calendar/days.ts'
import type { DatabaseKind } from '../../../connectors/database-kind.ts'
import type { Destination } from '../../../connectors/destination/destination.ts'
import type { PlacedDatabase } from '../../../connectors/destination/place.ts'
import type { WindowToCommit } from '../../../connectors/destination/windows.ts'
import { withSql } from '../../../connectors/postgres/connection/sql-connection.ts'
import { postgres } from '../../../connectors/postgres/kind.ts'
import { sqlite } from '../../../connectors/sqlite/kind.ts'
import type { Stream } from '../../../connectors/stream.ts'
import { pageToStage } from '../../../reading/reading.ts'
import { postgresForTests } from '../../helpers/postgres.ts'
import { readRecords } from '../sqlite/page-of.ts'

/** A new database of one kind, and statements by hand. */
export interface ByHand {
  kind: DatabaseKind
  place: PlacedDatabase
  /** Its address. */
  database: string
  run(sql: string): Promise<void>
  all(sql: string): Promise<unknown[]>
}

const folder = mkdtempSync(join(tmpdir(), 'tillage-by-hand-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

export const BY_HAND: Readonly<Record<string, () => Promise<ByHand>>> = {
  async SQLite() {
    const database = join(folder, `${randomUUID()}.db`)
    const on = <Answer>(work: (connection: Database.Database) => Answer): Answer => {
      const connection = new Database(database)
      try {
        return work(connection)
      } finally {
        connection.close()
      }
    }
    return {
      kind: sqlite,
      database,
      place: { database, localFiles: database },
      run: async sql => void on(connection => connection.exec(sql)),
      all: async sql => on(connection => connection.prepare(sql).all()),
    }
  },
  async PostgreSQL() {
    const { url: database } = await postgresForTests()
    return {
      kind: postgres,
      database,
      place: { database, localFiles: join(folder, randomUUID()) },
      run: async text => void (await withSql(database, sql => sql.run(text))),
      all: text => withSql(database, sql => sql.all(text)),
    }
  },
}

export const MONDAY = fromIso('2026-03-02T00:00:00.000Z')
export const at = (days: number): string => toIso(MONDAY + days * DAY_MS)

/** Opens the destination for some work. */
export async function withDestination<Answer>(
  { kind, place }: ByHand,
  streams: readonly Stream[],
  work: (destination: Destination) => Promise<Answer>,
): Promise<Answer> {
  const destination = await kind.openDestination(place, streams)
  try {
    return await work(destination)
  } finally {
    await destination.close()
  }
}

/** Commits records, as JSON texts, as the window of a day. */
export async function commitDay(
  { windows }: Destination,
  stream: Stream,
  day: number,
  records: readonly string[],
  changes: Partial<WindowToCommit> = {},
): Promise<void> {
  const reading = randomUUID()
  const page = readRecords(stream, records)
  await windows.stage(pageToStage(reading, page, 0))
  await windows.commit({
    reading,
    store: 'downtown',
    stream: stream.name,
    window: { start: at(day), end: at(day + 1) },
    status: 'proven',
    evidence: {},
    superseded: {},
    fetched: records.length,
    findings: [],
    readAt: at(day + 2),
    ...changes,
  })
}
