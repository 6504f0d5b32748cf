import { DatabaseError, TillageError, UsageError } from '../errors.ts'
import type { ErrorCode } from '../errors.ts'

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'SQLITE_FULL'])
const REFUSED = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOTDIR',
  'EEXIST',
  'ENAMETOOLONG',
  'SQLITE_CANTOPEN',
  'SQLITE_READONLY',
])

/**
 * What a failure of the disk, SQLite or DuckDB means for the person who asked. Errors of ours stay
 * as they are.
 */
export function explainExportFailure(error: unknown, out: string): unknown {
  if (error instanceof TillageError || !(error instanceof Error)) return error
  const failure = failureOf(error)
  if (isFull(failure))
    return new DatabaseError(
      'DATABASE_FULL',
      `the disk of ${out} is full; nothing of the export was kept`,
      { remedy: 'free some space, then run the same command again' },
    )
  const { code, kind } = failure
  if (isRefused(failure))
    return new UsageError(
      `${out} cannot be written to (${code === '' ? kind : code}); nothing of the export was kept`,
      'choose another folder (--out), or change its permissions',
    )
  const isSqlite = code.startsWith('SQLITE_')
  if (!isSqlite && kind === undefined) return error
  const detail = isSqlite ? `${code}: ${error.message}` : `DuckDB: ${kind}`
  return new DatabaseError('DATABASE_BROKEN', `the rows cannot be exported (${detail})`, {
    remedy: 'run tillage doctor',
  })
}

/** An error of ours as it comes from another thread: classes do not survive the way. */
export interface SentFailure {
  code: ErrorCode
  message: string
  remedy: string | undefined
}

export function reviveFailure({ code, message, remedy }: SentFailure): TillageError {
  if (code === 'USAGE') return new UsageError(message, remedy)
  const details = remedy === undefined ? {} : { remedy }
  return code === 'INTERRUPTED'
    ? new TillageError(code, message, details)
    : new DatabaseError(code, message, details)
}

interface Failure {
  /** Of the system or of SQLite; empty where there is none. */
  code: string
  /** Of DuckDB, which has no codes. */
  kind: string | undefined
  message: string
}

/**
 * DuckDB's message is all there is of its failures. It may quote a value, so only its kind is passed
 * on (INV-10).
 */
const failureOf = (error: Error): Failure => ({
  code: 'code' in error && typeof error.code === 'string' ? error.code : '',
  kind: /^(?:[A-Z][A-Za-z-]*) [Ee]rror(?=:)/.exec(error.message)?.[0],
  message: error.message,
})

const isFull = ({ code, kind, message }: Failure): boolean =>
  FULL.has(code) ||
  (kind === 'IO Error' && /No space left|Disk quota|File too large|disk is full/i.test(message))

const isRefused = ({ code, kind, message }: Failure): boolean =>
  REFUSED.has(code) ||
  (kind === 'IO Error' && /Permission denied|Read-only file system/i.test(message))
