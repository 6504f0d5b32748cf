import { expect, test } from 'vitest'
import type { SyncReport } from '../../temporal/run-sync.ts'
import { control, RANGE, startProject, waitFor } from '../helpers/project.ts'

test('a run that shares a stream with one under way waits for that stream instead of reading it twice', async () => {
  const { sandbox, project, close } = await startProject({ stores: 1, seed: 3 })
  try {
    // The first page of each window comes late enough for the second run to find the first at work.
    await control(sandbox, 'POST', 'faults', [
      { match: 'transactions', latencyMs: 20_000, times: 3 },
    ])
    const first = project.start('sync', 'transactions', ...RANGE, '--json')
    await waitFor(
      async () => ((await control(sandbox, 'GET', 'requests')) as { total: number }).total > 0,
      'the first run to be at work',
    )
    const second = await project.run('sync', 'transactions', 'vendors', ...RANGE, '--json')
    const outcomes = [await first.outcome, second]
    expect(outcomes.map(({ status }) => status)).toEqual([0, 0])
    const [alone, both] = outcomes.map(
      ({ stdout }) => (JSON.parse(stdout) as SyncReport).stores[0]!.streams,
    )
    expect(both!.find(({ stream }) => stream === 'transactions')).toEqual(alone![0])
    const { counts } = (await control(sandbox, 'GET', 'requests')) as {
      counts: Record<string, number>
    }
    expect(counts['/api/v1/partner/transactions']).toBe(alone![0]!.requests)
  } finally {
    await close()
  }
})
