import { actNow, alone, renameStore } from '../../connectors/database.ts'
import { RENAME_ACT } from '../../connectors/destination/renames.ts'
import { UsageError } from '../../errors.ts'
import { faultOfStoreId } from '../../names.ts'
import type { Context } from '../command.ts'
import { requireDatabase } from '../database/require-database.ts'
import { countOf } from '../terminal/number.ts'
import { refuseOpenWork } from './refuse-open-work.ts'

/**
 * `tillage store rename OLD NEW`: all of it or nothing, while nobody else has the database open.
 */
export async function storeRename(
  { config, terminal }: Context,
  { by, reason }: { by: string; reason?: string },
  from: string,
  to: string,
): Promise<number> {
  const fault = faultOfStoreId(to)
  if (fault !== undefined)
    throw new UsageError(
      `${JSON.stringify(to)} cannot be the id of a store: it ${fault}`,
      'Choose another, like downtown.',
    )
  await requireDatabase(config)
  await refuseOpenWork(config, from)
  const act = actNow(RENAME_ACT, { from, to, by, reason })
  const changed = await alone(config.database, dialect => renameStore(dialect, { from, to }, act))
  const isConfigured = config.stores.some(({ id }) => id === to)
  const report = { from, to, ...changed, configured: isConfigured }
  terminal.print(
    terminal.json
      ? JSON.stringify(report)
      : `${from} is ${to} now: ${countOf(changed.rows, 'row')} of ${countOf(changed.tables, 'table')}`,
  )
  if (!isConfigured) terminal.log(`Write id: ${to} in the place of ${from} into tillage.yaml.`)
  terminal.log(`Audits and files that were given out stay in the folder of ${from}.`)
  terminal.log('Then tillage schedule apply, or up, makes the schedules of the new id.')
  return 0
}
