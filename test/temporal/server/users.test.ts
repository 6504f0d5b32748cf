import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  identifyProcess,
  identifySpace,
  isRunning,
} from '../../../temporal/server/process-identity.ts'
import { serverFolder } from '../../../temporal/server/server-folder.ts'
import type { ServerFolder } from '../../../temporal/server/server-folder.ts'
import {
  addUser,
  countUsers,
  hasUsersElsewhere,
  removeUser,
  removeUsersElsewhere,
} from '../../../temporal/server/users.ts'
import { makeFolder } from '../cli/fake-programs.ts'
import { waitFor } from '../wait-for.ts'

const hasProc = existsSync('/proc/self/stat')
let files: ServerFolder
beforeEach(() => (files = serverFolder(makeFolder())))
afterEach(() => rmSync(files.folder, { recursive: true, force: true }))

it('counts each use of one process', () => {
  const [first, second] = [addUser(files), addUser(files)]
  expect(countUsers(files)).toBe(2)
  removeUser(files, first)
  expect(countUsers(files)).toBe(1)
  removeUser(files, second)
  expect(countUsers(files)).toBe(0)
})

it('removes a user whose process is gone', async () => {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
  const { pid, startedAt = '' } = identifyProcess(child.pid)
  await once(child, 'exit')
  mkdirSync(files.users)
  writeFileSync(join(files.users, `${pid}.${startedAt}.${identifySpace()}.x`), '')
  expect(countUsers(files)).toBe(0)
  expect(readdirSync(files.users)).toEqual([])
})

it('neither counts nor removes users of another container', () => {
  addUser(files)
  writeFileSync(join(files.users, '7.1.elsewhere.x'), '')
  expect(countUsers(files)).toBe(1)
  expect(hasUsersElsewhere(files)).toBe(true)
  removeUsersElsewhere(files)
  expect(hasUsersElsewhere(files)).toBe(false)
  expect(countUsers(files)).toBe(1)
})

it.runIf(hasProc)('removes a user whose pid belongs to a newer process', () => {
  addUser(files)
  writeFileSync(join(files.users, `${process.pid}.1.x`), '')
  expect(countUsers(files)).toBe(1)
})

it.runIf(hasProc)(
  'takes a process for gone that is dead, but not yet waited for by its parent',
  async () => {
    // The shell becomes another program, which never asks after the child that the shell started.
    const parent = spawn('/bin/sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'])
    try {
      const [line] = (await once(parent.stdout, 'data')) as [Buffer]
      const identity = { pid: Number(line.toString()) }
      const program = (): string => readFileSync(`/proc/${parent.pid}/comm`, 'utf8').trim()
      await waitFor(() => program() === 'sleep', 'the shell to become another program')
      process.kill(identity.pid, 'SIGKILL')
      await waitFor(() => !isRunning(identity), 'the child is taken for gone')
      expect(() => process.kill(identity.pid, 0)).not.toThrow()
    } finally {
      parent.kill('SIGKILL')
    }
  },
)
