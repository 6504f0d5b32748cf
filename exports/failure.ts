import { join } from 'node:path'
import { askDisk, codeOf, diskError } from '../disk.ts'
import { DatabaseError, TillageError, UsageError } from '../errors.ts'

const REFUSED = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOTDIR',
  'EEXIST',
  'ENAMETOOLONG',
  'SQLITE_CANTOPEN',
])

/** Where an export reads and writes. */
interface Places {
  out: string
  localFiles: string
}

/**
 * What a failure of the disk, SQLite or DuckDB means for the person who asked. Errors of ours stay
 * as they are.
 */
export function explainExportFailure(error: unknown, places: Places): unknown {
  if (error instanceof TillageError || !(error instanceof Error)) return error
  const failure = failureOf(error)
  const { code, kind } = failure
  const ofDisk = failureOfDisk(failure, places, error)
  if (ofDisk !== undefined) return ofDisk
  if (code.startsWith('SQLITE_READONLY')) return databaseNotWritable(places.localFiles, code)
  if (isRefused(failure))
    return new UsageError(
      `${places.out} cannot be written to (${code === '' ? kind : code}); ${KEPT}`,
      'choose another folder (--out), or change its permissions',
    )
  const isSqlite = code.startsWith('SQLITE_')
  if (!isSqlite && kind === undefined) return error
  const detail = isSqlite ? `${code}: ${error.message}` : `DuckDB: ${kind}`
  return new DatabaseError('DATABASE_BROKEN', `the rows cannot be exported (${detail})`, {
    remedy: 'run tillage doctor',
  })
}

const databaseNotWritable = (path: string, code: string): DatabaseError =>
  new DatabaseError('DATABASE_BROKEN', `${path} cannot be written to (${code}); ${KEPT}`, {
    remedy:
      'What is given out is remembered there. Let this user write the file and its folder, then ' +
      'run the same command again.',
  })

const KEPT = 'nothing of the export was given out'

/** A folder that may not be written was named by whoever asked: that is no failure of its disk. */
function failureOfDisk(failure: Failure, places: Places, cause: Error): Error | undefined {
  const { path, code } = diskOf(failure, places)
  return code === 'EROFS' && path === places.out
    ? undefined
    : diskError(path, code, { kept: KEPT, cause })
}

interface Failure {
  /** Of the system or of SQLite; empty where there is none. */
  code: string
  /** Of DuckDB, which has no codes. */
  kind: string | undefined
  message: string
}

/**
 * DuckDB's message is all there is of its failures. It may quote a
 * value, so only its kind is passed on (INV-10).
 */
const failureOf = (error: Error): Failure => ({
  code: codeOf(error),
  kind: /^(?:[A-Z][A-Za-z-]*) [Ee]rror(?=:)/.exec(error.message)?.[0],
  message: error.message,
})

/** What DuckDB quotes of the system. */
const QUOTED: readonly (readonly [RegExp, string])[] = [
  [/No space left|disk is full/i, 'ENOSPC'],
  [/Disk quota/i, 'EDQUOT'],
  [/File too large/i, 'EFBIG'],
  [/Too many open files/i, 'EMFILE'],
]

/** The disk that failed and its code; where SQLite or DuckDB hide it, the disks are asked. */
function diskOf(failure: Failure, { out, localFiles }: Places): { path: string; code: string } {
  const { code, kind, message } = failure
  const isHidden = kind === 'IO Error' || /^SQLITE_(IOERR|CANTOPEN)/.test(code)
  if (!isHidden) return { path: out, code }
  const quoted = QUOTED.find(([words]) => words.test(message))?.[1]
  const ofFolder = quoted ?? askDisk(join(out, 'export'))
  if (ofFolder !== undefined) return { path: out, code: ofFolder }
  return { path: localFiles, code: askDisk(localFiles) ?? code }
}

const isRefused = ({ code, kind, message }: Failure): boolean =>
  REFUSED.has(code) ||
  (kind === 'IO Error' && /Permission denied|Read-only file system/i.test(message))
