import { actNow, appendAct, keepsAuditLog, migrate } from '../connectors/database.ts'

/** Adds an act to the audit log of a database, which is made where there is none. */
export async function recordAct(
  database: string,
  act: string,
  detail: Readonly<Record<string, unknown>>,
): Promise<void> {
  await migrate(database, [])
  appendAct(database, actNow(act, detail))
}

/**
 * The same for a database that is to stay as it is: one of an older version, which has no log yet,
 * is not brought up to date for that, so that the older version can still open it.
 */
export function recordActIfKept(
  database: string,
  act: string,
  detail: Readonly<Record<string, unknown>>,
): void {
  if (keepsAuditLog(database)) appendAct(database, actNow(act, detail))
}
