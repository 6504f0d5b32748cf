import { existsSync } from 'node:fs'
import { damageError, readDamage } from '../connectors/database.ts'
import { TillageError } from '../errors.ts'
import type { Context } from './command.ts'
import { errorAsJson, formatError } from './terminal.ts'

/** `tillage doctor --database`: every page of the database; 1 if it is damaged. Asks no API. */
export function doctorDatabase({ config, terminal }: Pick<Context, 'config' | 'terminal'>): number {
  const { database } = config
  if (!existsSync(database))
    throw new TillageError('NOT_PROVEN', `there is no database at ${database}`, {
      remedy: 'Look at database: in tillage.yaml; tillage sync makes it.',
    })
  const damage = readDamage(database)
  const error = damage.length === 0 ? null : damageError(database)
  if (terminal.json)
    terminal.print(
      JSON.stringify({ database, damage, error: error === null ? null : errorAsJson(error) }),
    )
  else if (error === null) terminal.print(`${database}: integrity check passed`)
  else terminal.print([...damage, '', formatError(error)].join('\n'))
  return error === null ? 0 : 1
}
