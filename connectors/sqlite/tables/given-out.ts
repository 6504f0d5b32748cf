import { existsSync } from 'node:fs'
import { DatabaseError } from '../../../errors.ts'
import type { GivenOut } from '../../destination/given-out.ts'
import { givenOutOn } from '../../sql/given-out.ts'
import { openConnection } from '../connection/open-connection.ts'
import { sqlOn } from '../connection/sql-connection.ts'
import { asDatabaseError } from '../connection/sqlite-errors.ts'

/**
 * The tables of what was given out, on a connection of their own. Fails where the database cannot
 * be written, unless it is only read: nothing may be given out that nobody would remember.
 */
export function openGivenOut(path: string, options: { readonly?: boolean } = {}): GivenOut {
  if (!existsSync(path))
    throw new DatabaseError('DATABASE_BROKEN', `there is no database at ${path}`, {
      remedy: 'Check the path in tillage.yaml; a sync creates the database.',
    })
  const connection = openConnection(path, options)
  try {
    // Waits here as long as another connection writes.
    if (options.readonly !== true) connection.exec('BEGIN IMMEDIATE; ROLLBACK')
  } catch (cause) {
    connection.close()
    throw asDatabaseError(path, cause)
  }
  return givenOutOn(sqlOn(connection))
}
