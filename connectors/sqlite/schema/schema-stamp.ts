import { crc32 } from 'node:zlib'
import type Sqlite from 'better-sqlite3'
import type { Stream } from '../../stream.ts'
import { migrations } from './migrations.ts'
import { allStatements } from './stream-tables.ts'

const stamps = new WeakMap<readonly Stream[], number>()

/** A number of the whole schema as this version makes it; never 0, which a new database has. */
function stampOf(streams: readonly Stream[]): number {
  const known = stamps.get(streams)
  if (known !== undefined) return known
  const statements = streams.flatMap(allStatements)
  const text = [...Object.keys(migrations), ...statements].join('\n')
  // The pragma holds 32 bits with a sign.
  const stamp = Math.max(1, crc32(text) >>> 1)
  stamps.set(streams, stamp)
  return stamp
}

/**
 * Whether a database was brought to the schema of this very version: whatever is missing in it then
 * was there before, and somebody took it away.
 */
export const hasStamp = (connection: Sqlite.Database, streams: readonly Stream[]): boolean =>
  connection.pragma('user_version', { simple: true }) === stampOf(streams)

/** Whether `writeStamp` would change the file. */
export const lacksStamp = (connection: Sqlite.Database, streams: readonly Stream[]): boolean =>
  streams.length > 0 && !hasStamp(connection, streams)

/** Notes in the file that it has the whole schema; written once for each version. */
export function writeStamp(connection: Sqlite.Database, streams: readonly Stream[]): void {
  if (lacksStamp(connection, streams)) connection.pragma(`user_version = ${stampOf(streams)}`)
}
