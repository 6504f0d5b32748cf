import { appendFileSync, closeSync, openSync, readFileSync, statSync, truncateSync } from 'node:fs'
import type { ServerFolder } from './server-folder.ts'

/** Beyond this it is cut. */
export const LOG_LIMIT_BYTES = 1024 * 1024
const LOG_KEPT_BYTES = 64 * 1024

/** Opens the log for appending; the caller closes it or hands it to a child. */
export function openLog(files: ServerFolder): { fd: number; close: () => void } {
  const fd = openSync(files.log, 'a')
  return { fd, close: () => closeSync(fd) }
}

/**
 * Cuts a log that grew too long down to its last lines. Its writers append, so they go on behind
 * them.
 */
export function boundLog(files: ServerFolder): void {
  try {
    if (statSync(files.log).size <= LOG_LIMIT_BYTES) return
    const kept = readFileSync(files.log).subarray(-LOG_KEPT_BYTES)
    truncateSync(files.log)
    appendFileSync(files.log, kept)
  } catch {
    // The folder is being removed; there is no log to bound.
  }
}

/** The last lines of the log, for an error message. */
export function readLogTail(files: ServerFolder, lines = 12): string {
  try {
    return readFileSync(files.log)
      .subarray(-LOG_KEPT_BYTES)
      .toString('utf8')
      .trim()
      .split('\n')
      .slice(-lines)
      .join('\n')
  } catch {
    return ''
  }
}

/** What happens to the server, among its own lines. */
export function note(files: ServerFolder, line: string): void {
  try {
    appendFileSync(files.log, `${new Date().toISOString()} process ${process.pid}: ${line}\n`)
  } catch {
    // The folder is being removed, or its disk is full.
  }
}
