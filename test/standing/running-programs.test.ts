import { spawnSync } from 'node:child_process'
import { hostname } from 'node:os'
import { expect, it } from 'vitest'
import type { Program } from '../../connectors/destination/programs.ts'
import { runningPrograms } from '../../standing/running-programs.ts'

const program = (pid: number, machine = hostname()): Program => ({
  machine,
  pid,
  processStarted: '',
  at: '2026-03-15T00:00:00.000Z',
  settings: {},
  problem: undefined,
})

it('a program that was killed is left out, and one of another machine is not', () => {
  const { pid: ended } = spawnSync(process.execPath, ['--version'])
  const known = [program(process.pid), program(ended), program(ended, 'another-machine')]
  expect(runningPrograms(known)).toEqual([known[0], known[2]])
})
