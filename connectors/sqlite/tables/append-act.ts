import type Sqlite from 'better-sqlite3'
import type { Act, AuditEntry } from '../../sql/audit-chain.ts'
import { entryAfter } from '../../sql/audit-chain.ts'
import { APPEND_ENTRY, LAST_ENTRY } from '../../sql/audit-log.ts'

/** Adds an act inside a transaction of SQLite's own, of what it tells of. */
export function appendTo(connection: Sqlite.Database, act: Act): void {
  const last = connection.prepare<[], Pick<AuditEntry, 'seq' | 'hash'>>(LAST_ENTRY).get()
  const number = connection
    .prepare<[], number>("SELECT seq FROM sqlite_sequence WHERE name = 'audit_log'")
    .pluck()
    .get()
  connection.prepare(APPEND_ENTRY).run(entryAfter(last, number ?? 0, act))
}
