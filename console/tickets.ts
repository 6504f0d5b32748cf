import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { codeOf } from '../disk.ts'
import { sha256Of } from '../sha256.ts'

/** Long enough to find the browser. */
export const TICKET_VALID_MS = 10 * 60_000

/**
 * Tickets are files beside the database, of which nobody else than its owner can make one: any
 * process writes them, and the one that removes a ticket has used it. A file's name is a hash, so
 * that to read the folder is not to have a ticket.
 */
const folderOf = (localFiles: string): string => join(dirname(localFiles), 'console-tickets')

const nameOf = (ticket: string): string => sha256Of(ticket)

export function issueTicket(localFiles: string): string {
  const folder = folderOf(localFiles)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(folder)) removeOld(join(folder, name))
  const ticket = randomBytes(24).toString('base64url')
  writeFileSync(join(folder, nameOf(ticket)), '', { mode: 0o600, flag: 'wx' })
  return ticket
}

/** Whether it was issued lately, and nobody has used it before. */
export function useTicket(localFiles: string, ticket: string, nowMs = Date.now()): boolean {
  const path = join(folderOf(localFiles), nameOf(ticket))
  try {
    const { mtimeMs } = statSync(path)
    unlinkSync(path)
    return nowMs - mtimeMs < TICKET_VALID_MS
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw error
  }
}

function removeOld(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found !== undefined && Date.now() - found.mtimeMs > TICKET_VALID_MS)
    rmSync(path, { force: true })
}
