import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CommandRuns } from '../../console/actions/run-command.ts'
import { commandRunsTable } from '../../console/pages/command-run.ts'
import { tableAsCsv } from '../../console/parts/data-table.ts'
import { makeFolder } from '../config/loading.ts'
import { PROGRAM } from '../helpers/program.ts'
import { waitFor } from '../helpers/project.ts'

test('a hint on a page does not name the configuration, which is the same for all of them', async () => {
  const configFile = join(makeFolder(), 'tillage.yaml')
  const args = ['sync', '--froom', '2026-03-01']
  const runs = new CommandRuns({ program: PROGRAM, configFile })
  const run = runs.start({ id: 'one', title: 'sync', args, by: 'test' })
  await waitFor(() => run.status !== undefined, 'the command to end')
  expect(run.said).toContain('tillage sync --help')
  // The twin: whoever types the same in a terminal has to name it.
  const { stderr } = spawnSync(process.execPath, [PROGRAM, ...args, '--config', configFile])
  expect(stderr.toString()).toContain(`tillage --config ${configFile} sync --help`)
})

test('a command that ended with something for somebody to do stands so, and is not late', () => {
  const run = {
    id: 'one',
    title: 'Read again',
    args: [],
    by: 'Ann',
    startedMs: 0,
    endedMs: 1,
    said: '',
  }
  const standing = (status: number | undefined): string =>
    tableAsCsv(commandRunsTable([{ ...run, status }]), 1)
      .split(/\r?\n/)[1]!
      .split(',')[1]!
  expect([3, 2, 0, undefined].map(standing)).toEqual([
    'needs somebody',
    'failed',
    'done',
    'running',
  ])
})
