import { UsageError } from '../../../errors.ts'
import type { KeptSecret, MadeSecret } from '../../destination/kept-secrets.ts'
import type { PlacedDatabase } from '../../destination/place.ts'
import { readSecretBeside } from '../../local/kept-secrets.ts'
import { placeOf } from '../../server-address.ts'
import { firstOf } from '../../sql/connection.ts'
import type { Sql } from '../../sql/connection.ts'
import { withSql } from '../connection/sql-connection.ts'
import { hasTable } from '../schema/existing-schema.ts'

const TABLE = 'kept_secrets'

/**
 * The same on every machine: of several that make it at once, one counts for all. What an earlier
 * version made in a file of this machine is taken over.
 */
export const readOrMakeSecret = (
  place: PlacedDatabase,
  { make, ...secret }: MadeSecret,
): Promise<string> =>
  withSql(place.database, async sql => {
    const kept = await keptIn(sql, place, secret)
    if (kept !== undefined) return kept
    const value = readSecretBeside(place.localFiles, secret) ?? make()
    await sql.run(
      `INSERT INTO ${TABLE} (name, value) VALUES (@name, @value) ON CONFLICT DO NOTHING`,
      { name: secret.name, value },
    )
    return (await keptIn(sql, place, secret))!
  })

/** Undefined: none was made yet. */
export const readSecret = (
  place: PlacedDatabase,
  secret: KeptSecret,
): Promise<string | undefined> =>
  withSql(
    place.database,
    async sql =>
      ((await hasTable(sql, TABLE)) ? await keptIn(sql, place, secret) : undefined) ??
      readSecretBeside(place.localFiles, secret),
    { most: 1, readonly: true },
  )

const SHORTEST = 16

async function keptIn(
  sql: Sql,
  { database }: PlacedDatabase,
  { name, remedy }: KeptSecret,
): Promise<string | undefined> {
  const kept = await firstOf<{ value: string }>(
    sql,
    `SELECT value FROM ${TABLE} WHERE name = @name`,
    { name },
  )
  if (kept !== undefined && kept.value.length < SHORTEST)
    throw new UsageError(`${TABLE} of ${placeOf(database)} holds no secret as ${name}`, remedy)
  return kept?.value
}
