import type { Missing } from '../../sql/by-hand.ts'
import { runSteps } from '../../sql/steps.ts'
import { missingIn } from '../../sql/upkeep/missing-parts.ts'
import type { Stream } from '../../stream.ts'
import { withSql } from '../connection/sql-connection.ts'
import { comparedParts } from '../schema/made-parts.ts'

/**
 * Compares the schema with what was made in it, and the tables with what the readings say that they
 * brought. Ask before the database is migrated: that would make anew what is missing, empty.
 */
export const readMissing = (address: string, streams: readonly Stream[]): Promise<Missing> =>
  withSql(address, async sql => runSteps(sql, missingIn(await comparedParts(sql), streams)), {
    most: 1,
    readonly: true,
  })
