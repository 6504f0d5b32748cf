import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { useEmbeddedServer } from '../../../temporal/server/embedded-server.ts'
import { embeddedFolder } from '../../../temporal/server/server-folder.ts'
import { startProject, startWorker, storesOf, waitFor } from '../../helpers/project.ts'
import type { Project } from '../../helpers/project.ts'

const SCHEDULES = { nightly: { at: '03:30' } }
/** Temporal starts each store a little later, by this many minutes at most. */
const JITTER = 2

/** On a Temporal that has lost them, be it another one or with a new file. */
async function expectLostSchedules(project: Project): Promise<void> {
  expect(await project.run('schedule', 'trigger', 'nightly/downtown')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining(
      'Temporal does not have the schedule nightly/downtown',
    ) as string,
  })
  const elsewhere = ['schedule', 'pause', 'nightly/downtown', '--store', 'uptown']
  expect(await project.run(...elsewhere)).toMatchObject({ status: 2 })
  expect((await project.run('schedule', 'list')).stdout).not.toContain('paused')
  expect((await project.run('schedule', 'pause', '--reason', 'stocktaking')).status).toBe(0)
  expect((await project.run('schedule', 'list')).stdout).toContain('paused')
  expect((await project.run('schedule', 'resume')).status).toBe(0)
  expect((await project.run('schedule', 'list')).stdout).not.toContain('paused')
}

interface Listed {
  schedules: { next: string[] }[]
}

test("status and schedule list say when no worker is up on a cluster's Temporal", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tillage-cluster-'))
  const server = await useEmbeddedServer({ folder, progress: () => {} })
  const { project, sandbox, close } = await startProject({ stores: 1, days: 1 }, { embedded: true })
  const isUp = async (command: string): Promise<unknown> => {
    const { stdout } = await project.run(...command.split(' '), '--json')
    return (JSON.parse(stdout) as { workerIsUp: unknown }).workerIsUp
  }
  try {
    project.configure(storesOf(sandbox), {
      temporal: { address: server.address },
      schedules: SCHEDULES,
    })
    expect((await project.run('schedule', 'apply')).status).toBe(0)
    const nobody = 'no worker is up, so nothing that is due starts by itself: tillage worker'
    expect((await project.run('schedule', 'list')).stdout).toContain(nobody)
    expect((await project.run('status')).stdout).toContain(nobody)
    const list = async () =>
      JSON.parse((await project.run('schedule', 'list', '--json')).stdout) as Listed
    const live = await list()
    project.configure(storesOf(sandbox), { schedules: SCHEDULES })
    // The database says the same, and no server is started to look.
    const kept = await list()
    const without = ({ schedules }: Listed): object[] =>
      schedules.map(one => ({ ...one, next: [] }))
    expect(without(kept)).toEqual(without(live))
    const nextOf = ({ schedules }: Listed): number[] =>
      schedules.flatMap(({ next }) => next.map(Date.parse))
    expect(nextOf(kept)).toHaveLength(9)
    nextOf(live).forEach((ms, index) => {
      const laterMs = ms - nextOf(kept)[index]!
      expect(laterMs >= 0 && laterMs <= JITTER * 60_000).toBe(true)
    })
    expect(existsSync(join(project.folder, 'tillage-data', 'temporal'))).toBe(false)
    // Else each command would start a server, and stop it.
    const own = await useEmbeddedServer({
      folder: embeddedFolder(join(project.folder, 'tillage-data', 'tillage.db')),
      progress: () => {},
    })
    await expectLostSchedules(project)
    await own.release()
    project.configure(storesOf(sandbox), {
      temporal: { address: server.address },
      schedules: SCHEDULES,
    })
    const reader = project.start('worker', '--role', 'read')
    await waitFor(async () => (await isUp('status')) === true, 'the worker to ask for work')
    expect((await project.run('schedule', 'list')).stdout).not.toContain('no worker is up')
    const noFiles = 'no worker has the role export'
    expect((await project.run('status')).stdout).toContain(noFiles)
    const writer = await startWorker(project, '--role', 'export')
    await waitFor(
      async () => !(await project.run('status')).stdout.includes(noFiles),
      'the other worker to ask for work',
    )
    for (const worker of [reader, writer]) {
      worker.kill('SIGTERM')
      await worker.outcome
    }
    project.configure(storesOf(sandbox), {
      temporal: { address: '127.0.0.1:1' },
      schedules: SCHEDULES,
    })
    const unknown = await project.run('status')
    expect(unknown.status).toBe(3)
    expect(unknown.stdout).toMatch(
      /it is not known whether a worker runs: the Temporal server at 127\.0\.0\.1:1 does not answer/,
    )
    expect(unknown.stdout).toContain('see to the server at 127.0.0.1:1')
    expect(await isUp('status')).toBe(null)
  } finally {
    await close()
    await server.release()
    rmSync(folder, { recursive: true, force: true })
  }
})
