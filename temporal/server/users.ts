import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { identifyProcess, isRunning } from './process-identity.ts'
import type { ProcessIdentity } from './process-identity.ts'
import type { ServerFolder } from './server-folder.ts'

/**
 * Registers this process as a user of the folder's server and returns the registration. It is an
 * empty file whose name says all (`<pid>.<started at>.<unique>`), so it cannot be half written, and
 * it outlives the keeper: a new one knows the users of the old one.
 */
export function addUser(files: ServerFolder): string {
  mkdirSync(files.users, { recursive: true })
  const { pid, startedAt = '' } = identifyProcess()
  const name = `${pid}.${startedAt}.${randomUUID()}`
  writeFileSync(join(files.users, name), '', { flag: 'wx' })
  return name
}

export function removeUser(files: ServerFolder, name: string): void {
  rmSync(join(files.users, name), { force: true })
}

/** How many users are alive. Registrations of processes that died are removed. */
export function countUsers(files: ServerFolder): number {
  let alive = 0
  for (const name of listNames(files)) {
    if (isRunning(parseUser(name))) alive += 1
    else removeUser(files, name)
  }
  return alive
}

function listNames(files: ServerFolder): string[] {
  try {
    return readdirSync(files.users).filter(name => /^\d+\.\d*\./.test(name))
  } catch {
    return []
  }
}

function parseUser(name: string): ProcessIdentity {
  const [pid, startedAt] = name.split('.')
  return startedAt === undefined || startedAt === ''
    ? { pid: Number(pid) }
    : { pid: Number(pid), startedAt }
}
