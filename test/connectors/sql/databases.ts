import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { openConnections } from '../../../connectors/postgres/connection/connections.ts'
import type { Connections } from '../../../connectors/postgres/connection/connections.ts'
import {
  kyselyOn as postgresKysely,
  statementsOn,
} from '../../../connectors/postgres/connection/query-builder.ts'
import { sqlOn as postgresSql } from '../../../connectors/postgres/connection/sql-connection.ts'
import { migrate as migratePostgres } from '../../../connectors/postgres/schema/migrate.ts'
import type { SqlConnection, Statements } from '../../../connectors/sql/connection.ts'
import type { Schema } from '../../../connectors/sql/schema.ts'
import { openConnection } from '../../../connectors/sqlite/connection/open-connection.ts'
import { kyselyOn } from '../../../connectors/sqlite/connection/query-builder.ts'
import { sqlOn as sqliteSql } from '../../../connectors/sqlite/connection/sql-connection.ts'
import { migrate } from '../../../connectors/sqlite/schema/migrate.ts'
import { openWriter } from '../../../connectors/sqlite/writer/writer.ts'
import { postgresForTests } from '../../helpers/postgres.ts'

/** A new database with the tables that are the same everywhere. */
export interface SharedTables {
  /** Another connection each time, as another process would have. */
  connect(): SqlConnection
  db: Kysely<Schema>
  statements: Statements
  close(): Promise<void>
}

export const KINDS: Readonly<Record<string, () => Promise<SharedTables>>> = {
  SQLite: newSqlite,
  PostgreSQL: newPostgres,
}

const newPath = (): string => join(mkdtempSync(join(tmpdir(), 'tillage-tables-')), 'tillage.db')

async function newSqlite(): Promise<SharedTables> {
  const path = newPath()
  await migrate(path, [])
  const db = kyselyOn(openConnection(path, { readonly: true }))
  const statements = openWriter(path, [])
  const opened: SqlConnection[] = []
  return {
    connect() {
      const connection = sqliteSql(openConnection(path))
      opened.push(connection)
      return connection
    },
    db,
    statements,
    async close() {
      for (const connection of opened) await connection.close()
      await db.destroy()
      await statements.close()
    },
  }
}

async function newPostgres(): Promise<SharedTables> {
  const { url } = await postgresForTests()
  const opened: Connections[] = []
  const open = (): Connections => {
    const connections = openConnections(url)
    opened.push(connections)
    return connections
  }
  const db = postgresKysely(open())
  await migratePostgres(opened[0]!, [])
  return {
    connect: () => postgresSql(open()),
    db,
    statements: statementsOn(opened[0]!),
    async close() {
      await db.destroy()
      for (const connections of opened) await connections.end()
    },
  }
}
