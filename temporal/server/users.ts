import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { identifyProcess, identifySpace, isRunning } from './process-identity.ts'
import type { ProcessIdentity } from './process-identity.ts'
import type { ServerFolder } from './server-folder.ts'

/**
 * Registers this process as a user of the folder's server and returns the registration. It is an
 * empty file whose name says all (`<pid>.<started at>.<space>.<unique>`), so it cannot be half
 * written, and it outlives the keeper: a new one knows the users of the old one.
 */
export function addUser(files: ServerFolder): string {
  mkdirSync(files.users, { recursive: true })
  const { pid, startedAt = '' } = identifyProcess()
  const name = `${pid}.${startedAt}.${identifySpace()}.${randomUUID()}`
  writeFileSync(join(files.users, name), '', { flag: 'wx' })
  return name
}

export function removeUser(files: ServerFolder, name: string): void {
  rmSync(join(files.users, name), { force: true })
}

/**
 * How many users are alive. Registrations of processes that died are removed; those of another
 * container tell nothing here.
 */
export function countUsers(files: ServerFolder): number {
  let alive = 0
  for (const user of listUsers(files)) {
    if (user.isElsewhere) continue
    if (isRunning(user.identity)) alive += 1
    else removeUser(files, user.name)
  }
  return alive
}

/** Whether somebody registered in another container, or before this machine was started. */
export const hasUsersElsewhere = (files: ServerFolder): boolean =>
  listUsers(files).some(({ isElsewhere }) => isElsewhere)

/** For who has seen that nobody else has the server's database: they are gone. */
export function removeUsersElsewhere(files: ServerFolder): void {
  for (const { name, isElsewhere } of listUsers(files)) if (isElsewhere) removeUser(files, name)
}

interface User {
  name: string
  identity: ProcessIdentity
  isElsewhere: boolean
}

function listUsers(files: ServerFolder): User[] {
  try {
    const here = identifySpace()
    const names = readdirSync(files.users).filter(name => /^\d+\.\d*\./.test(name))
    return names.map(name => parseUser(name, here))
  } catch {
    return []
  }
}

/** An older Tillage wrote no space. */
function parseUser(name: string, here: string): User {
  const parts = name.split('.')
  const [pid, startedAt] = parts
  return {
    name,
    identity: { pid: Number(pid), ...(startedAt === '' ? {} : { startedAt: startedAt! }) },
    isElsewhere: parts.length > 3 && parts[2] !== here,
  }
}
