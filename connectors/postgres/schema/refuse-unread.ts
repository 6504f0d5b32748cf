import { TillageError } from '../../../errors.ts'
import type { Sql } from '../../sql/connection.ts'
import { STEPS_TABLE, tablesIn } from './existing-schema.ts'
import { refuseForeign } from './migrate.ts'
import { refuseBlind } from './refuse-unfit.ts'

/** Fails with NOT_PROVEN where there are no tables: that is no day without sales (INV-4). */
export async function refuseUnread(sql: Sql, place: string): Promise<void> {
  const tables = await tablesIn(sql)
  refuseForeign(place, tables)
  if (tables.has(STEPS_TABLE)) return
  await refuseBlind(sql, place)
  throw new TillageError('NOT_PROVEN', `nothing was read yet: ${place} has no tables`, {
    remedy:
      'If something was read before, it is lost here: bring the schema back from the backup of ' +
      'the server. Else read something: tillage sync --from yyyy-MM-dd --to yyyy-MM-dd',
  })
}
