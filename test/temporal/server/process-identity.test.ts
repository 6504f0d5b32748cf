import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { identifyProcess, isRunning, parseStat } from '../../../temporal/server/process-identity.ts'

/** A line of `/proc/PID/stat` of a program whose name has blanks and a parenthesis. */
const stat = (state: string, threads: number): string =>
  `4711 (temporal (dev) 1) ${state} 1 4711 4711 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 ${threads} 0 98765 1 2 3`

describe('a process', () => {
  it.each([
    ['that works', 'R', 12, false],
    ['that sleeps', 'S', 1, false],
    ['that was killed and whose other threads still hold its files', 'Z', 11, false],
    ['that is dead and not waited for', 'Z', 1, true],
    ['that is being removed', 'X', 1, true],
  ])('%s is told from its entry', (_, state, threads, hasEnded) => {
    expect(parseStat(stat(state, threads))).toEqual({ hasEnded, startedAt: '98765' })
  })

  it('is not known from half an entry', () => {
    expect(parseStat('4711 (temporal) S 1 4711')).toBeUndefined()
  })

  it('runs until it has ended; another process with its pid is not it', async () => {
    const child = spawn(process.execPath, ['--eval', 'process.stdin.resume()'])
    await once(child, 'spawn')
    const identity = identifyProcess(child.pid)
    expect(isRunning(identity)).toBe(true)
    if (identity.startedAt !== undefined)
      expect(isRunning({ pid: identity.pid, startedAt: '1' })).toBe(false)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(isRunning(identity)).toBe(false)
  })
})
