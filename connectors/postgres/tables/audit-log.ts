import type { EvidenceLog } from '../../destination/written-evidence.ts'
import type { Act, AuditEntry } from '../../sql/audit-chain.ts'
import * as log from '../../sql/audit-log.ts'
import { evidenceLogIn } from '../../sql/evidence-log.ts'
import { withSql } from '../connection/with-connections.ts'
import { hasTable } from '../schema/tables-in.ts'

export const appendAct = (address: string, act: Act): Promise<void> =>
  withSql(address, sql => sql.write(inside => log.appendTo(inside, act)))

export const readAuditLog = (
  address: string,
): Promise<{ entries: AuditEntry[]; breaks: string[] }> =>
  withSql(
    address,
    async sql => ((await keeps(sql)) ? log.logIn(sql) : { entries: [], breaks: [] }),
    READ,
  )

export const readEvidenceLog = (address: string): Promise<EvidenceLog> =>
  withSql(
    address,
    async sql => ((await keeps(sql)) ? evidenceLogIn(sql) : { heads: [], written: [], breaks: [] }),
    READ,
  )

export const keepsAuditLog = (address: string): Promise<boolean> => withSql(address, keeps, READ)

const READ = { most: 1, readonly: true }

const keeps = (sql: Parameters<typeof hasTable>[0]): Promise<boolean> => hasTable(sql, 'audit_log')
