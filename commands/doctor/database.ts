import {
  damageError,
  migrate,
  refuseUnread,
  readDamage,
  readInconsistentRows,
} from '../../connectors/database.ts'
import type { InconsistentRows } from '../../connectors/database.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { DatabaseError } from '../../errors.ts'
import type { TillageError } from '../../errors.ts'
import type { Context } from '../command.ts'
import { errorAsJson, formatError } from '../terminal/error.ts'
import { formatNumber } from '../terminal/number.ts'

/**
 * `tillage doctor --database`: every page of the database, and every row against the record that is
 * kept of it; 1 if it is damaged. Asks no API.
 */
export async function doctorDatabase({
  config,
  terminal,
}: Pick<Context, 'config' | 'terminal'>): Promise<number> {
  const { database } = config
  refuseUnread(database)
  const damage = readDamage(database)
  const inconsistent = damage.length > 0 ? [] : await readChanged(database)
  const error = errorOf(database, damage, inconsistent)
  if (terminal.json)
    terminal.print(
      JSON.stringify({
        database,
        damage,
        inconsistent,
        error: error === null ? null : errorAsJson(error),
      }),
    )
  else if (error === null)
    terminal.print(`${database}: integrity check passed, every row is what its record says`)
  else terminal.print([...damage, ...describe(inconsistent), '', formatError(error)].join('\n'))
  return error === null ? 0 : 1
}

async function readChanged(database: string): Promise<InconsistentRows[]> {
  await migrate(database, streams)
  return readInconsistentRows(database, streams)
}

function errorOf(
  database: string,
  damage: readonly string[],
  inconsistent: readonly InconsistentRows[],
): TillageError | null {
  if (damage.length > 0) return damageError(database)
  if (inconsistent.length === 0) return null
  const rows = inconsistent.reduce((sum, { ids }) => sum + ids.length, 0)
  const [first] = inconsistent
  return new DatabaseError(
    'DATABASE_BROKEN',
    `in ${database}, what ${rows === 1 ? 'one row' : `${formatNumber(rows)} rows`} hold ` +
      'and what their records say differ: a value was changed by somebody, or by the disk',
    {
      remedy:
        `tillage check ${first!.stream} --store ${first!.store} --windows 1000 ` +
        'compares its days with the API and makes them right. ' +
        'Or put a backup in its place (tillage restore FILE --replace).',
    },
  )
}

const IDS_SHOWN = 5

const describe = (inconsistent: readonly InconsistentRows[]): string[] =>
  inconsistent.map(({ store, stream, ids }) => {
    const more = ids.length > IDS_SHOWN ? ` and ${formatNumber(ids.length - IDS_SHOWN)} more` : ''
    return `${store} ${stream}: ${ids.slice(0, IDS_SHOWN).join(', ')}${more}`
  })
