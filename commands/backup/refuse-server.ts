import type { Config } from '../../config.ts'
import { isServerAddress, placeOf, schemaOf } from '../../connectors/server-address.ts'
import { UsageError } from '../../errors.ts'
import { pushFolder } from '../../push/load-plan.ts'

/** A server has backups of its own: says which, and what else belongs to them. */
export function refuseServer(
  { database, localFiles, exports }: Pick<Config, 'database' | 'localFiles' | 'exports'>,
  command: 'backup' | 'restore',
): void {
  if (!isServerAddress(database)) return
  throw new UsageError(
    `${placeOf(database)} is on a PostgreSQL server, which tillage ${command} does not copy`,
    (command === 'backup'
      ? `Use what the server has: pg_dump --format=custom --schema=${schemaOf(database)}, or its continuous ` +
        'archive (point in time). '
      : 'Bring the schema back by the means of the server (pg_restore, point in time). ') +
      'The member secret is in it. What belongs to it on this machine: the folder ' +
      `${pushFolder(localFiles)} and the exports in ${exports}. Docs: tillage help postgresql.`,
  )
}
