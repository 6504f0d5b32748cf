import type { ServerFacts } from '../../database-kind.ts'
import type { SqlConnection } from '../../sql/connection.ts'

/** Asks the server who it is; its clock last, when the connection stands. */
export async function readServerFacts(sql: SqlConnection): Promise<ServerFacts> {
  const [about] = await sql.all<{ version: string }>(VERSION)
  const extensions = await sql.all<{ name: string }>(EXTENSIONS)
  const askedMs = Date.now()
  const [clock] = await sql.all<{ nowMs: number }>(CLOCK)
  // It looked at its clock somewhere between the question and the answer.
  const hereMs = (askedMs + Date.now()) / 2
  return {
    version: `PostgreSQL ${about!.version}`,
    clockAheadMs: Math.round(hereMs - clock!.nowMs),
    extensions: extensions.map(({ name }) => name),
  }
}

const VERSION = "SELECT split_part(current_setting('server_version'), ' ', 1) AS version"
const EXTENSIONS = `
  SELECT extname::text AS name FROM pg_extension WHERE extname <> 'plpgsql' ORDER BY extname`
const CLOCK = 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::double precision AS "nowMs"'
