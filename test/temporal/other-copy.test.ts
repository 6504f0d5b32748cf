import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Project, startProject, startWorker, storesOf, waitFor } from '../helpers/project.ts'

test('a copy of a database file is no second worker of it, and a second worker on the file itself is one', async () => {
  const { project, sandbox, close } = await startProject({ stores: 1, days: 2 })
  const copy = new Project(project.temporal)
  try {
    expect(await project.run('sync', 'vendors')).toMatchObject({ status: 0 })
    copy.configure(storesOf(sandbox))
    mkdirSync(join(copy.folder, 'tillage-data'))
    const file = join('tillage-data', 'tillage.db')
    copyFileSync(join(project.folder, file), join(copy.folder, file))
    const worker = await startWorker(project)
    const isKnown = async (): Promise<boolean> => {
      const { stdout } = await project.run('status', '--json')
      return (JSON.parse(stdout) as { workerIsUp: unknown }).workerIsUp === true
    }
    await waitFor(isKnown, 'Temporal to know of the worker')
    const refused = await copy.run('sync', 'vendors')
    expect(refused).toMatchObject({ status: 1 })
    expect(refused.stderr).toContain('TEMPORAL_SHARED')
    expect(refused.stderr).toContain(String(worker.pid))
    expect(await copy.start('worker').outcome).toMatchObject({ status: 1 })
    const second = await startWorker(project)
    for (const one of [worker, second]) one.kill('SIGTERM')
    expect((await worker.outcome).status).toBe(0)
    expect((await second.outcome).status).toBe(0)
  } finally {
    await copy.remove()
    await close()
  }
})
