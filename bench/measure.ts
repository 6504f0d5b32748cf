/** What one command costs from start to end, with all processes that it starts. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'

/** What marks the processes of one measured command, also those that outlive their parent. */
const MARK = 'TILLAGE_BENCH_RUN'
const SAMPLE_MS = 100
/** Of the kernel's clock in /proc: 100 on every Linux that Node runs on. */
const TICKS_A_SECOND = 100

export interface Cost {
  wallSeconds: number
  /** Of all its processes; up to a tenth of a second of each may be missing. Linux only. */
  cpuSeconds: number | undefined
  /**
   * The most at one time: of the processes that live, the highest resident memory of each so far,
   * added up. Linux only.
   */
  peakMb: number | undefined
}

export interface Command {
  program: string
  args: readonly string[]
  cwd?: string
  env?: NodeJS.ProcessEnv
  /** Takes what it prints. */
  log: string
}

/** Runs the command to its end. Throws, with the place of its output, unless it exits with 0. */
export async function measure(command: Command): Promise<Cost> {
  const { family, ended } = start(command)
  await ended
  return family.cost()
}

/**
 * What a command takes that runs until it is told to stop: its memory is what it holds when
 * `isIdle` resolves, not the highest that it had. Throws unless it then ends with 0.
 */
export async function measureIdle(command: Command, isIdle: () => Promise<unknown>): Promise<Cost> {
  const { child, family, ended } = start(command)
  await Promise.race([isIdle(), ended])
  family.sample()
  const cost = { ...family.cost(), peakMb: family.residentMb() }
  child.kill('SIGTERM')
  await ended
  return cost
}

interface Started {
  child: ChildProcess
  family: Family
  ended: Promise<void>
}

function start({ program, args, cwd, env, log }: Command): Started {
  const mark = randomUUID()
  const family = new Family(mark)
  const output = openSync(log, 'w')
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env, [MARK]: mark },
    stdio: ['ignore', output, output],
  })
  const timer = setInterval(() => family.sample(), SAMPLE_MS)
  const waitForEnd = async (): Promise<void> => {
    const [status] = (await once(child, 'exit')) as [number | null]
    family.end()
    clearInterval(timer)
    closeSync(output)
    if (status !== 0) throw new Error(`${program} ended with ${status}: see ${log}`)
  }
  return { child, family, ended: waitForEnd() }
}

interface Member {
  cpuSeconds: number
  peakMb: number
}

/**
 * The processes of one command: those that bear its mark in their environment, and whatever they
 * start, with whichever environment.
 */
class Family {
  private readonly marked: string
  private readonly members = new Map<string, Member>()
  private readonly startedMs = performance.now()
  private wallSeconds: number | undefined
  private mostMb = 0
  /** What ran before; a newer process may still have to become the program that bears the mark. */
  private readonly strangers = new Set(listProcesses())

  constructor(mark: string) {
    this.marked = `${MARK}=${mark}`
  }

  sample(): void {
    const running = listProcesses()
    for (const pid of running) {
      if (this.strangers.has(pid)) continue
      try {
        this.measureProcess(pid)
      } catch {
        // It has ended, or it is another user's.
      }
    }
    const living = running.map(pid => this.members.get(pid)?.peakMb ?? 0)
    this.mostMb = Math.max(
      this.mostMb,
      living.reduce((sum, peakMb) => sum + peakMb, 0),
    )
  }

  private measureProcess(pid: string): void {
    if (!this.members.has(pid) && !this.isOurs(pid)) return
    // One that is ending has given its memory back already, and tells none.
    const before = this.members.get(pid)?.peakMb ?? 0
    const peakMb = Math.max(before, readMb(pid, 'VmHWM'))
    this.members.set(pid, { cpuSeconds: readCpuSeconds(pid), peakMb })
  }

  private isOurs(pid: string): boolean {
    if (this.members.has(readStat(pid)[PARENT]!)) return true
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(this.marked)
  }

  /** Stops the clock. */
  end(): void {
    this.wallSeconds = (performance.now() - this.startedMs) / 1000
  }

  /** What its living members hold now. */
  residentMb(): number | undefined {
    if (process.platform !== 'linux') return undefined
    const living = listProcesses().filter(pid => this.members.has(pid))
    return living.reduce((sum, pid) => sum + readMb(pid, 'VmRSS'), 0)
  }

  cost(): Cost {
    const wallSeconds = this.wallSeconds ?? (performance.now() - this.startedMs) / 1000
    if (process.platform !== 'linux')
      return { wallSeconds, cpuSeconds: undefined, peakMb: undefined }
    const all = [...this.members.values()]
    return {
      wallSeconds,
      cpuSeconds: all.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
      peakMb: this.mostMb,
    }
  }
}

const listProcesses = (): string[] =>
  process.platform === 'linux' ? readdirSync('/proc').filter(name => /^\d+$/.test(name)) : []

/** Where what stands in `readStat`, as in proc_pid_stat(5): there the parent is field 4. */
const PARENT = 1
const USER_TICKS = 11
const SYSTEM_TICKS = 12

/** The fields after the program's name, which may hold spaces. */
function readStat(pid: string): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

/** User and system time of the process itself. */
function readCpuSeconds(pid: string): number {
  const stat = readStat(pid)
  return (Number(stat[USER_TICKS]) + Number(stat[SYSTEM_TICKS])) / TICKS_A_SECOND
}

/** Resident memory: now (`VmRSS`), or at its highest (`VmHWM`). */
function readMb(pid: string, which: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const kilobytes = new RegExp(`^${which}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]
  return Number(kilobytes ?? 0) / 1024
}
