import Sqlite from 'better-sqlite3'

/**
 * Makes another database of a copy, before it gets its name: what still runs for the first one is
 * not for the second. A copy of an older version gets its identity when it is opened.
 */
export function giveNewIdentity(path: string): void {
  const connection = new Sqlite(path, { fileMustExist: true })
  try {
    const hasOne = connection.prepare(
      "SELECT 1 FROM sqlite_schema WHERE name = 'database_identity'",
    )
    if (hasOne.get() !== undefined)
      connection.exec('UPDATE database_identity SET id = lower(hex(randomblob(8)))')
  } finally {
    connection.close()
  }
}
