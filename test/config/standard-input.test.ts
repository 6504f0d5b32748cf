import { spawnSync } from 'node:child_process'
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CommandRuns } from '../../console/actions/run-command.ts'
import { PROGRAM } from '../helpers/program.ts'
import { waitFor } from '../helpers/project.ts'
import { KEYS, makeFolder, STORE } from './loading.ts'

const folder = realpathSync(makeFolder())

const run = (input: string, ...args: string[]) =>
  spawnSync(process.execPath, [PROGRAM, '--config', '-', ...args], {
    cwd: folder,
    env: { ...process.env, ...KEYS },
    input,
    encoding: 'utf8',
  })

describe('settings from the standard input', () => {
  it('are read with paths relative to where the command runs', () => {
    mkdirSync(join(folder, 'stores'))
    writeFileSync(join(folder, 'stores/a.yaml'), STORE.replaceAll('\n  ', '\n'))
    const { status, stderr } = run(
      'stores: ./stores/*.yaml\ndatabase: here.db',
      'backup',
      'copy.db',
    )
    expect(stderr).toContain(`there is no database at ${join(folder, 'here.db')} to copy`)
    expect(status).toBe(3)
  })

  it('are called so where they are wrong, empty or not there', () => {
    expect(run('stores: []', 'accounts').stderr).toContain('the standard input has a problem:')
    const { status, stderr } = run('', 'accounts')
    expect(stderr).toContain('it is empty, and --config - reads the settings from it')
    expect(status).toBe(2)
  })

  it('cannot be written by init, nor come with a body', () => {
    for (const args of [['init'], ['init', '--add']])
      expect(run('', ...args)).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('init writes a file') as string,
      })
    const twice = run(`stores:${STORE}`, 'api', 'POST', '/reconciliations', '--body', '-')
    expect(twice).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('cannot both come from the standard input') as string,
    })
  })

  it('are handed on to commands that the console starts', async () => {
    const place = {
      program: PROGRAM,
      configFile: '-',
      input: `stores:${STORE}\ncurrency: nonsense`,
    }
    const runs = new CommandRuns(place)
    const run = runs.start({ id: 'one', title: 'accounts', args: ['accounts'], by: 'test' })
    await waitFor(() => run.status !== undefined, 'the command to end')
    expect(run.said).toContain('currency must be three capital letters')
    expect(run.status).toBe(2)
  })
})
