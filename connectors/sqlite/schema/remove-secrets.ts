import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
import { IS_SECRET_SQL } from '../../secret-fields.ts'

/** Quick signs of a secret field, so that most rows need not be taken apart. */
const SIGNS = ['"pin', 'pin"', '"pass', 'secret', 'token"', 'key"'].map(
  sign => `raw LIKE '%${sign}%'`,
)

/** The finding that says what was taken out. */
export const SECRETS_REMOVED = 'secret_fields_removed'

interface Secret {
  row: number
  store: string
  stream: string
  path: string
}

/**
 * Takes secret fields out of every record that older versions kept whole, and notes in the findings
 * of each stream what was taken out of how many records.
 */
export const removeSecrets: Migration = {
  async up(db) {
    // What is overwritten is overwritten with zeros, in this transaction's pages.
    await sql`PRAGMA secure_delete = ON`.execute(db)
    const { rows: tables } = await sql<{ name: string }>`
      SELECT t.name FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c
      WHERE t.type = 'table' AND c.name = 'raw' ORDER BY t.name`.execute(db)
    const removed: Removed = new Map()
    for (const { name } of tables)
      await withoutTriggers(db, name, () => removeFrom(db, name, removed))
    await noteRemoved(db, removed)
  },
}

/** By store and stream: which records, and the names of their fields. */
type Removed = Map<string, { secret: Secret; records: Set<string>; names: Set<string> }>

/** A record without its secret is no new version of it. */
async function withoutTriggers(
  db: Kysely<unknown>,
  table: string,
  change: () => Promise<void>,
): Promise<void> {
  const { rows: triggers } = await sql<{ name: string; sql: string }>`
    SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ${table}`.execute(db)
  for (const { name } of triggers) await sql`DROP TRIGGER ${sql.table(name)}`.execute(db)
  await change()
  for (const trigger of triggers) await sql.raw(trigger.sql).execute(db)
}

async function removeFrom(db: Kysely<unknown>, table: string, removed: Removed): Promise<void> {
  const stream = table.startsWith('rows_') ? `'${table.slice('rows_'.length)}'` : 'stream'
  const { rows: secrets } = await sql<Secret>`
    SELECT r.rowid AS row, r.store_id AS store, ${sql.raw(stream)} AS stream, field.fullkey AS path
    FROM ${sql.table(table)} AS r,
      json_tree(CASE WHEN json_valid(r.raw) THEN r.raw ELSE '{}' END) AS field
    WHERE (${sql.raw(SIGNS.join(' OR '))}) AND ${sql.raw(IS_SECRET_SQL)}`.execute(db)
  for (const secret of secrets) {
    await sql`
      UPDATE ${sql.table(table)} SET raw = json_remove(raw, ${secret.path})
      WHERE rowid = ${secret.row}`.execute(db)
    const key = `${secret.store}/${secret.stream}`
    const found = removed.get(key) ?? { secret, records: new Set(), names: new Set() }
    found.records.add(`${table} ${secret.row}`)
    found.names.add(secret.path.split('.').at(-1)!)
    removed.set(key, found)
  }
}

async function noteRemoved(db: Kysely<unknown>, removed: Removed): Promise<void> {
  const now = new Date().toISOString()
  for (const [key, { secret, records, names }] of removed) {
    const detail = `${[...names].toSorted().join(', ')} taken out of ${records.size} stored records`
    await sql`
      INSERT INTO findings (id, store_id, stream, code, detail, times, first_seen_at, last_seen_at)
      VALUES (${`${key}/${SECRETS_REMOVED}`}, ${secret.store}, ${secret.stream},
        ${SECRETS_REMOVED}, ${detail}, 1, ${now}, ${now})`.execute(db)
  }
}
