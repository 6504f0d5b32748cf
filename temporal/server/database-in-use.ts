import Database from 'better-sqlite3'

/**
 * Whether a process, in whichever container, has a server's database open: in WAL mode it shares a
 * lock for as long. A server that starts at this moment would fail, so only its keeper may ask.
 */
export function isDatabaseInUse(path: string): boolean {
  let database: Database.Database | undefined
  try {
    database = new Database(path, { fileMustExist: true, timeout: 0 })
    database.pragma('locking_mode = EXCLUSIVE')
    database.exec('BEGIN EXCLUSIVE')
    return false
  } catch (error) {
    // What is not there or damaged is for the server to say.
    return (error as { code?: unknown }).code === 'SQLITE_BUSY'
  } finally {
    database?.close()
  }
}
