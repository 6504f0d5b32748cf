import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RANGE, startProject, waitFor } from '../helpers/project.ts'

let started: Awaited<ReturnType<typeof startProject>>
beforeAll(async () => {
  started = await startProject({ stores: 1 }, { embedded: true })
})
afterAll(() => started.close())

/** Windows that a database calls proven; none while it is only just made. */
function provenIn(path: string): number {
  if (!existsSync(path)) return 0
  const database = new Database(path, { readonly: true })
  try {
    const windows = "SELECT count(*) FROM windows WHERE status = 'proven'"
    return database.prepare(windows).pluck().get() as number
  } catch {
    return 0
  } finally {
    database.close()
  }
}

test('a backup made during a sync is consistent: after a restore, nothing is lost or stored twice', async () => {
  const { project } = started
  const database = join(project.folder, 'tillage-data', 'tillage.db')
  const asked = ['sync', 'transactions', 'batches', 'members', 'products', ...RANGE]
  const sync = project.start(...asked)
  await waitFor(() => provenIn(database) > 0, 'the first proven window')
  const backup = await project.run('backup', 'b.db', '--json')
  expect(backup.status).toBe(0)
  const { windows } = JSON.parse(backup.stdout) as { windows: number }
  expect(await sync.outcome).toMatchObject({ status: 0 })
  const whole = project.tables()
  expect(windows).toBeGreaterThan(0)

  await waitFor(
    () => !project.files().some(file => file.endsWith('server.json')),
    'the embedded server to stop',
  )
  expect(await project.run('restore', 'b.db', '--replace')).toMatchObject({ status: 0 })
  expect(project.query('SELECT count(*) FROM windows')).toEqual([[windows]])
  expect(await project.run(...asked)).toMatchObject({ status: 0 })
  expect(project.tables()).toEqual(whole)
})
