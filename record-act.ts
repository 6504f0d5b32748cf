import { actNow, appendAct, keepsAuditLog, migrate } from './connectors/database.ts'
import { TillageError } from './errors.ts'

/** Adds an act to the audit log of a database, which is made where there is none. */
export async function recordAct(
  database: string,
  act: string,
  detail: Readonly<Record<string, unknown>>,
): Promise<void> {
  await migrate(database, [])
  await appendAct(database, actNow(act, detail))
}

/**
 * The same for a database that is to stay as it is: one of an older version, which has no log yet,
 * is not brought up to date for that, so that the older version can still open it.
 */
export async function recordActIfKept(
  database: string,
  act: string,
  detail: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (await keepsAuditLog(database)) await appendAct(database, actNow(act, detail))
}

/**
 * Adds that an act which is in the log came to nothing. Why it failed counts more than that the log
 * could not take it: both may be the same full disk.
 */
export async function recordFailedAct(
  database: string,
  { act, detail }: { act: string; detail: Readonly<Record<string, unknown>> },
  error: unknown,
): Promise<void> {
  const failed = error instanceof TillageError ? error.code : 'UNKNOWN'
  try {
    await recordActIfKept(database, act, { ...detail, failed })
  } catch {}
}
