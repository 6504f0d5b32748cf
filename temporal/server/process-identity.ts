import { readFileSync, readlinkSync } from 'node:fs'
import { sha256Of } from '../../sha256.ts'

/**
 * A process that can be recognised later. A pid alone is reused sooner or later, so where the
 * system tells (Linux), the moment that the process started goes with it.
 */
export interface ProcessIdentity {
  readonly pid: number
  readonly startedAt?: string
}

/** How a process is known to others; without `pid`, this one. */
export function identifyProcess(pid: number = process.pid): ProcessIdentity {
  const startedAt = readStat(pid)?.startedAt
  return startedAt === undefined ? { pid } : { pid, startedAt }
}

/**
 * Whether exactly this process still runs. One that is dead, but not yet waited for by its parent,
 * does not.
 */
export function isRunning(identity: ProcessIdentity): boolean {
  try {
    process.kill(identity.pid, 0)
  } catch (error) {
    // EPERM: it exists, but belongs to somebody else.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const stat = readStat(identity.pid)
  if (stat === undefined) return true
  return (
    !stat.hasEnded && (identity.startedAt === undefined || identity.startedAt === stat.startedAt)
  )
}

/**
 * Where pids mean what they mean here: a container has its own, and so has the next start of the
 * machine. Nobody here can recognise processes of another space. Empty where no system tells.
 */
export function identifySpace(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')
    const text = `${boot.trim()} ${readlinkSync('/proc/self/ns/pid')}`
    return sha256Of(text).slice(0, 12)
  } catch {
    return ''
  }
}

interface ProcessStat {
  hasEnded: boolean
  startedAt: string
}

function readStat(pid: number): ProcessStat | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return undefined
  }
}

/**
 * What `/proc/PID/stat` says (`man 5 proc_pid_stat`). A process that was killed is a zombie as soon
 * as its first thread has ended; until its last one has, it still holds its files and their locks.
 */
export function parseStat(text: string): ProcessStat | undefined {
  // The second field is the program's name in parentheses and may itself hold spaces and
  // parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, threads, startedAt] = [fields[0], Number(fields[17]), fields[19]]
  if (state === undefined || startedAt === undefined) return undefined
  return { hasEnded: state === 'X' || (state === 'Z' && threads <= 1), startedAt }
}
