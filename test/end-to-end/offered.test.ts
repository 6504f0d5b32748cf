import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { streams } from '../../connectors/partner/streams/index.ts'
import type { SyncReport } from '../../temporal/run-sync.ts'
import { control, RANGE, startProject } from '../helpers/project.ts'

let started: Awaited<ReturnType<typeof startProject>>
const optional = streams.find(stream => stream.optional === true && stream.answers === 'complete')!

beforeAll(async () => {
  started = await startProject({ stores: 1, days: 3, transactionsPerDay: 5 })
  await control(started.sandbox, 'POST', 'faults', { match: optional.path, status: 404 })
})
afterAll(() => started.close())

describe('a list that the API does not have', () => {
  test('is named, and fails nothing, where nobody asked for it', async () => {
    const { status, stdout, stderr } = await started.project.run('sync', ...RANGE, '--json')
    const [store] = (JSON.parse(stdout) as SyncReport).stores
    expect(status).toBe(0)
    expect(store!.notOffered).toContain(optional.name)
    expect(store!.streams.map(({ stream }) => stream)).not.toContain(optional.name)
    expect(stderr).toContain(`does not offer ${store!.notOffered!.join(', ')}`)
    expect(
      started.project.query(`SELECT count(*) FROM windows WHERE stream = '${optional.name}'`),
    ).toEqual([[0]])
  })

  test('is unproven where somebody asked for it by name, and so is one that nothing works without', async () => {
    expect((await started.project.run('sync', optional.name, ...RANGE)).status).toBe(3)
    await control(started.sandbox, 'POST', 'faults', { match: streams[0]!.path, status: 404 })
    expect((await started.project.run('sync', streams[0]!.name, ...RANGE, '--again')).status).toBe(
      3,
    )
  })
})
