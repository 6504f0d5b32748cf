import type { ChangeOfKept, KeyShares } from '../../destination/key-shares.ts'
import { shareAlone } from '../../local/key-shares.ts'
import { firstOf } from '../../sql/connection.ts'
import type { Sql } from '../../sql/connection.ts'
import { openConnections } from '../connection/connections.ts'
import { sqlOn } from '../connection/sql-connection.ts'
import { hasTable } from '../schema/existing-schema.ts'

/**
 * Shared by all machines that work on the database, by the server's clock. On a connection of its
 * own, so that no request waits for a window's commit.
 */
export function openKeyShares(address: string): KeyShares {
  const sql = sqlOn(openConnections(address, { most: 1 }))
  let isThere = false
  return {
    of(key) {
      const alone = shareAlone()
      return {
        async change(change) {
          // Where nothing was read yet, there is nobody to share with.
          isThere ||= await hasTable(sql, 'key_paces')
          return isThere ? changeShared(sql, key, change) : alone.change(change)
        },
      }
    },
    close: () => void sql.close(),
  }
}

/** Nobody holds a lock while they think: whoever was second reads again. */
async function changeShared<Answer>(
  sql: Sql,
  key: string,
  change: ChangeOfKept<Answer>,
): Promise<Answer> {
  for (;;) {
    const { kept, version, nowMs } = await readKept(sql, key)
    const changed = change(kept === null ? undefined : (JSON.parse(kept) as object), nowMs)
    if (await keep(sql, { key, version, kept: JSON.stringify(changed.kept) })) return changed.answer
  }
}

interface Kept {
  kept: string | null
  version: number
  nowMs: number
}

const readKept = async (sql: Sql, key: string): Promise<Kept> =>
  (await firstOf<Kept>(
    sql,
    `SELECT kept, coalesce(version, 0) AS version,
       extract(epoch FROM clock_timestamp())::float8 * 1000 AS "nowMs"
     FROM (SELECT) AS always LEFT JOIN key_paces ON key = @key`,
    { key },
  ))!

async function keep(
  sql: Sql,
  row: { key: string; version: number; kept: string },
): Promise<boolean> {
  const changed = await sql.run(
    `INSERT INTO key_paces (key, version, kept) VALUES (@key, 1, @kept)
     ON CONFLICT (key) DO UPDATE SET version = key_paces.version + 1, kept = excluded.kept
     WHERE key_paces.version = @version`,
    row,
  )
  return changed > 0
}
