import Sqlite from 'better-sqlite3'
import { askDisk, codeOf, diskError } from '../../../disk.ts'
import { DatabaseError } from '../../../errors.ts'
import type { ErrorCode } from '../../../errors.ts'

/** What one kind of failure of SQLite, or of the file system below it, means to a user. */
interface Meaning {
  /** Codes of SQLite or of the operating system; one of SQLite's also covers its extended codes. */
  causes: readonly string[]
  code: ErrorCode
  what(path: string, cause: string): string
  remedy: string
}

/** The one map of SQLite's errors; those of the disk below it are in `disk.ts`. */
const MEANINGS: readonly Meaning[] = [
  {
    // The last is what SQLite says after a hundred tries to read a log that others keep changing.
    causes: ['SQLITE_BUSY', 'SQLITE_LOCKED', 'SQLITE_PROTOCOL'],
    code: 'DATABASE_BUSY',
    what: (path, cause) =>
      `another process has held ${path} for too long (${cause}); nothing was written`,
    remedy:
      'Close the program that has it open for writing, then run the same command again: it goes ' +
      'on. Schedules do so by themselves.',
  },
  {
    causes: ['SQLITE_NOTADB', 'SQLITE_CORRUPT'],
    code: 'DATABASE_BROKEN',
    what: (path, cause) => `${path} is not a readable SQLite database (${cause})`,
    remedy:
      'Put a backup in its place (tillage restore FILE --replace moves this one aside), or point ' +
      'database: in tillage.yaml to another file. Records can be fetched again; ' +
      'their history, which of them are gone, what was ' +
      'discarded and what was sent to the API cannot.',
  },
  {
    causes: [
      'SQLITE_CANTOPEN',
      'SQLITE_READONLY',
      'SQLITE_IOERR',
      'EACCES',
      'ENOENT',
      'ENOTDIR',
      'EPERM',
      'EISDIR',
      'EEXIST',
    ],
    code: 'DATABASE_BROKEN',
    what: (path, cause) => `${path} cannot be opened or written (${cause})`,
    remedy: 'Check that the folder exists and may be written, and database: in tillage.yaml.',
  },
]

/** The error with its code and what to do; whatever is not SQLite's or the disk's, as it came. */
export function asDatabaseError(path: string, cause: unknown): unknown {
  if (cause instanceof DatabaseError) return cause
  const code = codeOf(cause)
  const disk = diskError(path, causeBelow(path, code), { cause })
  if (disk !== undefined) return disk
  const meaning = MEANINGS.find(({ causes }) => causes.some(known => isKind(code, known)))
  if (meaning === undefined) return cause
  return new DatabaseError(meaning.code, meaning.what(path, code), {
    cause,
    remedy: meaning.remedy,
  })
}

/** SQLite has one name for a disk that fails and one that is not allowed to take more. */
const causeBelow = (path: string, code: string): string =>
  /^SQLITE_(IOERR|CANTOPEN|READONLY)/.test(code) ? (askDisk(path) ?? code) : code

/** Extended codes begin with the name of their kind: `SQLITE_IOERR_WRITE`. */
const isKind = (code: string, known: string): boolean =>
  known.startsWith('SQLITE_') ? code.startsWith(known) : code === known

/** Another connection holds a lock that is needed; SQLite has not waited, or no longer waits. */
export const isBusy = (error: unknown): boolean =>
  error instanceof Sqlite.SqliteError && /^SQLITE_(BUSY|PROTOCOL)/.test(error.code)
