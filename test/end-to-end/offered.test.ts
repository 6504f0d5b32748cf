import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { streams } from '../../connectors/partner/streams/index.ts'
import type { SyncReport } from '../../temporal/run-sync.ts'
import { control, startProject } from '../helpers/project.ts'

let started: Awaited<ReturnType<typeof startProject>>
const optional = streams.find(stream => stream.optional === true && stream.answers === 'complete')!

beforeAll(async () => {
  started = await startProject({ stores: 1, days: 3, transactionsPerDay: 5 })
  await control(started.sandbox, 'POST', 'faults', { match: optional.path, status: 404 })
})
afterAll(() => started.close())

/** The days that there are. */
const RANGE = ['--from', '2026-03-12', '--to', '2026-03-15'] as const
const notBooked = streams.find(
  stream => stream.optional !== true && stream.bookedAt === undefined && !stream.name.includes('_'),
)!

describe('a list that the API does not have', () => {
  test('is named all the same where it is not among the optional ones, and needs nobody', async () => {
    const { project, sandbox } = started
    // The first question meets a broken line: that is no reason to take the refusal for a failure.
    await control(sandbox, 'POST', 'faults', [
      { match: optional.path, drop: true, times: 1 },
      { match: notBooked.path, status: 404 },
    ])
    const { stdout, stderr } = await project.run('sync', ...RANGE, '--json')
    const [store] = (JSON.parse(stdout) as SyncReport).stores
    expect(stderr).toContain(`does not offer ${store!.notOffered!.join(', ')}`)
    expect(store!.notOffered).toEqual(
      expect.arrayContaining([optional.name, notBooked.name]) as string[],
    )
    const { stdout: said, status } = await project.run('status', '--json')
    const { streams: stands, stores } = JSON.parse(said) as {
      streams: { stream: string; offered: boolean; unproven: number }[]
      stores: { attention: string[] }[]
    }
    expect([status, stores[0]!.attention]).toEqual([0, []])
    expect(stands.find(({ stream }) => stream === notBooked.name)).toMatchObject({
      offered: false,
      unproven: 0,
    })
    expect((await project.run('status', '--all')).stdout).toMatch(
      new RegExp(`${notBooked.name} +\\d+ +not offered by the API`),
    )
    expect((await project.run('findings')).stdout).toContain(
      'not_offered: The API, or this partner key, does not have this list.',
    )
    await control(sandbox, 'DELETE', 'faults')
    await control(sandbox, 'POST', 'faults', { match: optional.path, status: 404 })
  })

  test('is read where it answers 404 on its last day alone, as some servers do of no rows', async () => {
    const { project, sandbox } = started
    await control(sandbox, 'POST', 'faults', { match: notBooked.path, status: 404, times: 1 })
    const { stdout } = await project.run('sync', ...RANGE, '--json')
    const [store] = (JSON.parse(stdout) as SyncReport).stores
    expect(store!.notOffered).not.toContain(notBooked.name)
    const read = store!.streams.find(({ stream }) => stream === notBooked.name)
    expect(read).toMatchObject({ windows: { proven: 1, unproven: 0 } })
  })

  test('is an alarm where it was there before', async () => {
    const { project, sandbox } = started
    expect((await project.run('sync', ...RANGE)).status).toBe(0)
    await control(sandbox, 'POST', 'faults', { match: notBooked.path, status: 404 })
    const { status, stderr } = await project.run('sync', ...RANGE, '--again')
    expect([status, stderr]).toEqual([
      3,
      expect.stringMatching(`${notBooked.name}: \\d+ windows? (is|are) not proven`),
    ])
    const { stdout } = await project.run('findings', '--stream', notBooked.name)
    expect(stdout).toContain('PARTNER_REFUSED: the API refused this request')
    await control(sandbox, 'DELETE', 'faults')
    await control(sandbox, 'POST', 'faults', { match: optional.path, status: 404 })
  })

  test('is named, and fails nothing, where nobody asked for it', async () => {
    const { status, stdout, stderr } = await started.project.run('sync', ...RANGE, '--json')
    const [store] = (JSON.parse(stdout) as SyncReport).stores
    expect(status).toBe(0)
    expect(store!.notOffered).toContain(optional.name)
    expect(store!.streams.map(({ stream }) => stream)).not.toContain(optional.name)
    // Told when it was found out; the report and `status --all` go on saying so.
    expect(stderr).not.toContain('does not offer')
    expect(
      started.project.query(`SELECT count(*) FROM windows WHERE stream = '${optional.name}'`),
    ).toEqual([[0]])
  })

  test('does not make a run that would read nothing look as if it read something', async () => {
    const { status, stdout, stderr } = await started.project.run('sync', '--to', '2026-01-10')
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toContain('without --from reads nothing')
  })

  test('is unproven where somebody asked for it by name, and so is one that nothing works without', async () => {
    expect((await started.project.run('sync', optional.name, ...RANGE)).status).toBe(3)
    await control(started.sandbox, 'POST', 'faults', { match: streams[0]!.path, status: 404 })
    expect((await started.project.run('sync', streams[0]!.name, ...RANGE, '--again')).status).toBe(
      3,
    )
  })
})
