import { dirname } from 'node:path'
import type { Config } from '../../config.ts'
import { isServerAddress, placeOf } from '../../connectors/server-address.ts'
import { UsageError } from '../../errors.ts'
import { memberSecretPath } from '../../exports/sales/member-secret.ts'

/** A server has backups of its own: says which, and what else belongs to them. */
export function refuseServer(
  { database, localFiles, exports }: Pick<Config, 'database' | 'localFiles' | 'exports'>,
  command: 'backup' | 'restore',
): void {
  if (!isServerAddress(database)) return
  const schema = new URL(database).searchParams.get('schema') ?? 'public'
  throw new UsageError(
    `${placeOf(database)} is on a PostgreSQL server, which tillage ${command} does not copy`,
    (command === 'backup'
      ? `Use what the server has: pg_dump --format=custom --schema=${schema}, or its continuous ` +
        'archive (point in time). '
      : 'Bring the schema back by the means of the server (pg_restore, point in time). ') +
      `What belongs to it on this machine: ${memberSecretPath(localFiles)}, the folder ` +
      `${dirname(localFiles)}/push and the exports in ${exports}. Docs: tillage help postgresql.`,
  )
}
