import {
  damageError,
  refuseOlder,
  remedyByBackup,
  readDamage,
  readInconsistentRows,
  readMissing,
  refuseUnfit,
  refuseUnread,
} from '../../connectors/database.ts'
import type { InconsistentRows, Missing } from '../../connectors/database.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { placeOf } from '../../connectors/server-address.ts'
import { DatabaseError } from '../../errors.ts'
import type { TillageError } from '../../errors.ts'
import { MOST_WINDOWS } from '../../schedules/rules/settings.ts'
import type { Context } from '../command.ts'
import { errorAsJson, formatError } from '../terminal/error.ts'
import { countOf, formatNumber } from '../terminal/number.ts'

/** What was found; what an earlier check has found keeps from the later ones. */
interface Found {
  damage: readonly string[]
  missing: Missing
  inconsistent: readonly InconsistentRows[]
}

/**
 * `tillage doctor --database`: every page of the database, all that its tables should have, and
 * every row against the record that is kept of it; 1 if something is damaged. Asks no API.
 */
export async function doctorDatabase({
  config,
  terminal,
}: Pick<Context, 'config' | 'terminal'>): Promise<number> {
  const { database } = config
  await refuseUnfit(database)
  await refuseUnread(database)
  const found = await inspect(database)
  const { damage, missing, inconsistent } = found
  const error = await errorOf(database, found)
  if (terminal.json)
    terminal.print(
      JSON.stringify({
        database: placeOf(database),
        damage,
        missing: missing.parts,
        emptied: missing.emptied,
        inconsistent,
        error: error === null ? null : errorAsJson(error),
      }),
    )
  else if (error === null)
    terminal.print(
      `${placeOf(database)}: integrity check passed, every table, column, index, trigger and view is ` +
        'there, every row is what its record says',
    )
  else terminal.print([...describe(found), '', formatError(error)].join('\n'))
  return error === null ? 0 : 1
}

const NOTHING: Missing = { parts: [], emptied: [] }

async function inspect(database: string): Promise<Found> {
  const damage = await readDamage(database)
  if (damage.length > 0) return { damage, missing: NOTHING, inconsistent: [] }
  const missing = await readMissing(database, streams)
  if (isAnything(missing)) return { damage, missing, inconsistent: [] }
  await refuseOlder(database, streams)
  return { damage, missing, inconsistent: await readInconsistentRows(database, streams) }
}

const isAnything = ({ parts, emptied }: Missing): boolean => parts.length + emptied.length > 0

async function errorOf(
  database: string,
  { damage, missing, inconsistent }: Found,
): Promise<TillageError | null> {
  if (damage.length > 0) return damageError(database)
  if (isAnything(missing)) return await missingError(database, missing)
  if (inconsistent.length === 0) return null
  const rows = inconsistent.reduce((sum, { ids }) => sum + ids.length, 0)
  const [first] = inconsistent
  const backup = await remedyByBackup(database)
  return new DatabaseError(
    'DATABASE_BROKEN',
    `in ${placeOf(database)}, ${rows === 1 ? 'one row is' : `${formatNumber(rows)} rows are`} not ` +
      'as the record says that is kept beside: somebody changed a value, or the disk did',
    {
      remedy:
        `tillage check ${first!.stream} --store ${first!.store} --windows ${MOST_WINDOWS} ` +
        `compares its days with the API and makes them right. Or: ${backup}.`,
    },
  )
}

/** Views, indexes and triggers hold nothing of their own. */
const holdsNothing = (part: string): boolean => /^(view|index|trigger) /.test(part)

async function missingError(database: string, { parts, emptied }: Missing): Promise<TillageError> {
  const backup = await remedyByBackup(database)
  const isLost = emptied.length > 0 || !parts.every(holdsNothing)
  return new DatabaseError(
    'DATABASE_BROKEN',
    `${placeOf(database)} lacks parts that it had: ` +
      `${countOf(parts.length, 'part')} of its schema, ${countOf(emptied.length, 'list')} of rows`,
    {
      remedy: isLost
        ? `Somebody, or another program, has taken it out: ${backup}, before the next command ` +
          'creates the tables again, empty. ' +
          'Without one, read the lists again from their first day: tillage sync --again --from DAY.'
        : 'No row is lost with it. What writes, as tillage sync, creates those of lists again. ' +
          `If it is of another table: ${backup}.`,
    },
  )
}

const IDS_SHOWN = 5

const describe = ({ damage, missing, inconsistent }: Found): string[] => [
  ...damage,
  ...missing.parts,
  ...missing.emptied.map(
    ({ store, stream, stored }) =>
      `${store} ${stream}: ${countOf(stored, 'row')} were stored, but the table has none`,
  ),
  ...inconsistent.map(({ store, stream, ids }) => {
    const more = ids.length > IDS_SHOWN ? ` and ${formatNumber(ids.length - IDS_SHOWN)} more` : ''
    return `${store} ${stream}: ${ids.slice(0, IDS_SHOWN).join(', ')}${more}`
  }),
]
