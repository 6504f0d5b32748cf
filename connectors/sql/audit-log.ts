import type { Act, AuditEntry } from './audit-chain.ts'
import { entryAfter, findBreaks } from './audit-chain.ts'
import type { Sql } from './connection.ts'
import { firstOf } from './connection.ts'

export const APPEND_ENTRY = `
  INSERT INTO audit_log (seq, at, who, machine, act, detail, previous, hash)
  VALUES (@seq, @at, @who, @machine, @act, @detail, @previous, @hash)`

export const LAST_ENTRY = 'SELECT seq, hash FROM audit_log ORDER BY seq DESC LIMIT 1'

/** Adds an act inside the transaction of what it tells of, so that both happen or neither. */
export async function appendTo(sql: Sql, act: Act): Promise<void> {
  const last = await firstOf<Pick<AuditEntry, 'seq' | 'hash'>>(sql, LAST_ENTRY, {})
  await sql.run(APPEND_ENTRY, entryAfter(last, await sql.lastAuditNumber(), act))
}

const ALL_ENTRIES = `
  SELECT seq, at, who, machine, act, detail, previous, hash FROM audit_log ORDER BY seq`

/** The whole log, oldest first, and what is wrong with it. */
export async function logIn(sql: Sql): Promise<{ entries: AuditEntry[]; breaks: string[] }> {
  const entries = await sql.all<AuditEntry>(ALL_ENTRIES)
  return { entries, breaks: findBreaks(entries, await sql.lastAuditNumber()) }
}
