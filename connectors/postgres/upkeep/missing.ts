import type { Missing } from '../../sql/by-hand.ts'
import { rowTable } from '../../sql/row-table.ts'
import { runSteps } from '../../sql/steps.ts'
import { emptiedLists, missingParts } from '../../sql/upkeep/missing-parts.ts'
import type { Stream } from '../../stream.ts'
import { withSql } from '../connection/with-connections.ts'
import { comparedParts } from '../schema/made-parts.ts'

/**
 * Compares the schema with what was made in it, and the tables with what the readings say that they
 * brought. Ask before the database is migrated: that would make anew what is missing, empty.
 */
export const readMissing = (address: string, streams: readonly Stream[]): Promise<Missing> =>
  withSql(
    address,
    async sql => {
      const { actual, expected } = await comparedParts(sql)
      const has = (table: string): boolean => actual.some(({ name }) => name === table)
      const isReadable = has('readings') && has('forgotten_members')
      const kept = isReadable ? streams.filter(({ name }) => has(rowTable(name))) : []
      return {
        parts: missingParts(actual, expected),
        emptied: await runSteps(sql, emptiedLists(kept)),
      }
    },
    { most: 1, readonly: true },
  )
