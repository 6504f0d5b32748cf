import type { Act } from '../../sql/audit-chain.ts'
import { appendTo } from '../../sql/audit-log.ts'
import type { Sql } from '../../sql/connection.ts'
import { withSql } from '../connection/sql-connection.ts'
import { hasTable } from '../schema/existing-schema.ts'

export const appendAct = (address: string, act: Act): Promise<void> =>
  withSql(address, sql => sql.write(inside => appendTo(inside, act)))

export const readLog = <Answer>(
  address: string,
  read: (sql: Sql) => Promise<Answer>,
): Promise<Answer | undefined> =>
  withSql(address, async sql => ((await hasTable(sql, 'audit_log')) ? read(sql) : undefined), {
    most: 1,
    readonly: true,
  })
