import { expect, onTestFinished, test } from 'vitest'
import { sizesBelow } from '../../objects/objects.ts'
import { startObjectServer, useObjectKeys } from '../helpers/object-server.ts'
import { Project, startProject, storesOf } from '../helpers/project.ts'

useObjectKeys()

/** Two machines with folders of their own, one database on a server and one bucket. */
async function twoMachines() {
  const server = await startObjectServer()
  const { endpoint } = server
  const exports = { url: 's3://books/tillage', endpoint, region: 'us-east-1', pathStyle: true }
  const started = await startProject({ stores: 1 }, { database: 'PostgreSQL' })
  onTestFinished(() => started.close())
  const { project: one, sandbox } = started
  one.configure(storesOf(sandbox), { exports })
  const other = new Project(one.temporal)
  onTestFinished(() => other.remove())
  other.shareDatabaseOf(one)
  other.configure(storesOf(sandbox), { exports })
  return { server, one, other, reader: server.place(other.folder) }
}

const DAYS = ['--from', '2026-03-10', '--to', '2026-03-11'] as const

test('two machines that export one day at once, on one database, make one state of it', async () => {
  const { one, other, reader } = await twoMachines()
  const read = ['transactions', 'products', '--from', '2026-03-09', '--to', '2026-03-12'] as const
  expect((await one.run('sync', ...read)).status).toBe(0)
  const order = ['export', 'transactions', 'products', ...DAYS, '--format', 'csv,jsonl', '--json']
  const done = await Promise.all([one, other].map(machine => machine.start(...order).outcome))
  expect(done.map(({ stderr }) => stderr).join('')).not.toContain('OBJECTS')
  const [first, second] = done.map(({ stdout }) => JSON.parse(stdout) as { manifests: string[] })
  expect(first).toEqual(second)
  const given = [...(await sizesBelow(reader, reader.mirror)).keys()]
  expect(given.filter(key => key.includes('manifest_'))).toEqual(first!.manifests)
  expect(given).toHaveLength(5)
  const [verified, listed] = [
    await other.run('verify', first!.manifests[0]!),
    await one.run('files'),
  ]
  expect(verified.status).toBe(0)
  expect(listed.stdout.trim().split('\n')).toHaveLength(4)
})

test('doctor tries the bucket, and refuses a server that writes over what is there', async () => {
  const { server, one } = await twoMachines()
  const good = await one.run('doctor')
  expect(good.stdout).toContain('s3://books/tillage: can be looked at, written and read')
  expect(good.status).toBe(0)
  server.ignoresConditions = true
  const bad = await one.run('doctor', '--json')
  expect(bad.status).toBe(1)
  expect(JSON.parse(bad.stdout)).toMatchObject({
    bucket: { url: 's3://books/tillage', error: { code: 'OBJECTS_WITHOUT_CONDITIONS' } },
    stores: [{ error: null }],
  })
})
