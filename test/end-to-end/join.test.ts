import { expect, test } from 'vitest'
import type { SyncReport } from '../../temporal/run-sync.ts'
import { control, RANGE, startProject, waitFor } from '../helpers/project.ts'

test('commands that ask for the same at the same time do the work once, and each reports it', async () => {
  const { sandbox, project, close } = await startProject({ stores: 1, seed: 3 })
  try {
    // The first page of each window comes late enough for the others to find the first at work.
    await control(sandbox, 'POST', 'faults', [
      { match: 'transactions', latencyMs: 20_000, times: 3 },
    ])
    const transactions = ['sync', 'transactions', ...RANGE, '--json']
    const together = [project.start(...transactions), project.start(...transactions)]
    await waitFor(
      async () => ((await control(sandbox, 'GET', 'requests')) as { total: number }).total > 0,
      'one of them to be at work',
    )
    const more = await project.run('sync', 'transactions', 'vendors', ...RANGE, '--json')
    const [first, second] = await Promise.all(together.map(({ outcome }) => outcome))
    expect([first!.status, second!.status, more.status]).toEqual([0, 0, 0])
    const storesOf = ({ stdout }: { stdout: string }) => (JSON.parse(stdout) as SyncReport).stores
    const streamsOf = (outcome: { stdout: string }) => storesOf(outcome)[0]!.streams
    // `busy` alone is of each process: one of them asked, the other waited.
    expect(storesOf(second!)).toEqual(storesOf(first!))
    const [alone] = streamsOf(first!)
    expect(streamsOf(more).find(({ stream }) => stream === 'transactions')).toEqual(alone)
    const { counts } = (await control(sandbox, 'GET', 'requests')) as {
      counts: Record<string, number>
    }
    expect(counts['/api/v1/partner/transactions']).toBe(alone!.requests)
  } finally {
    await close()
  }
})
