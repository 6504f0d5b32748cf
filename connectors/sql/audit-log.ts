import type { Act, AuditEntry } from './audit-chain.ts'
import { entryAfter, findBreaks } from './audit-chain.ts'
import type { Sql } from './connection.ts'
import { first, run, runSteps } from './steps.ts'
import type { Steps } from './steps.ts'

/**
 * Adds an act inside the transaction of what it tells of, so that both happen or neither.
 * `lastNumberSql`: as `Sql.lastAuditNumberSql`.
 */
export function* appendAct(act: Act, lastNumberSql: string): Steps<void> {
  const last = yield* first<Pick<AuditEntry, 'seq' | 'hash'>>(LAST_ENTRY)
  yield* run(APPEND_ENTRY, entryAfter(last, yield* lastNumber(lastNumberSql), act))
}

export const appendTo = (sql: Sql, act: Act): Promise<void> =>
  runSteps(sql, appendAct(act, sql.lastAuditNumberSql))

/** The whole log, oldest first, and what is wrong with it. */
export async function logIn(sql: Sql): Promise<{ entries: AuditEntry[]; breaks: string[] }> {
  const entries = await sql.all<AuditEntry>(ALL_ENTRIES)
  const last = await runSteps(sql, lastNumber(sql.lastAuditNumberSql))
  return { entries, breaks: findBreaks(entries, last) }
}

/** Zero as long as there was no entry. */
function* lastNumber(lastNumberSql: string): Steps<number> {
  return (yield* first<{ seq: number }>(lastNumberSql))?.seq ?? 0
}

const APPEND_ENTRY = `
  INSERT INTO audit_log (seq, at, who, machine, act, detail, previous, hash)
  VALUES (@seq, @at, @who, @machine, @act, @detail, @previous, @hash)`

const LAST_ENTRY = 'SELECT seq, hash FROM audit_log ORDER BY seq DESC LIMIT 1'

const ALL_ENTRIES = `
  SELECT seq, at, who, machine, act, detail, previous, hash FROM audit_log ORDER BY seq`
