import type { ChildProcess } from 'node:child_process'
import { expect, test } from 'vitest'
import { HOUR_MS } from '../../calendar/days.ts'
import type { Sandbox } from '../../sandbox/server.ts'
import type { SyncReport } from '../../temporal/run-sync.ts'
import { askedOf } from '../helpers/asked.ts'
import { control, RANGE, startProject, waitFor } from '../helpers/project.ts'

const VENDORS = '/api/v1/partner/vendors'

/** Until a process says how far its sync is, so that it has started or joined the work. */
async function isAtWork(child: ChildProcess): Promise<void> {
  let said = ''
  child.stderr!.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await waitFor(() => /asking what there is to read|\d windows/.test(said), 'a sync to be at work')
}

const countsOf = async (sandbox: Sandbox): Promise<Record<string, number>> =>
  (await askedOf(sandbox)).counts

test('commands that ask for the same at the same time do the work once, and each reports it', async () => {
  const { sandbox, project, close } = await startProject({ stores: 1, seed: 3 })
  try {
    // The pages of transactions wait until all three ask for them.
    await control(sandbox, 'POST', 'faults', [{ match: 'transactions', latencyMs: HOUR_MS }])
    const transactions = ['sync', 'transactions', ...RANGE, '--json']
    const together = [project.start(...transactions), project.start(...transactions)]
    await Promise.all(together.map(isAtWork))
    const third = project.run('sync', 'transactions', 'vendors', ...RANGE, '--json')
    await waitFor(async () => (await countsOf(sandbox))[VENDORS] !== undefined, 'the third')
    await control(sandbox, 'DELETE', 'faults')
    const [first, second] = await Promise.all(together.map(({ outcome }) => outcome))
    const more = await third
    expect([first!.status, second!.status, more.status]).toEqual([0, 0, 0])
    const storesOf = ({ stdout }: { stdout: string }) => (JSON.parse(stdout) as SyncReport).stores
    const streamsOf = (outcome: { stdout: string }) => storesOf(outcome)[0]!.streams
    // `busy` alone is of each process: one of them asked, the other waited.
    expect(storesOf(second!)).toEqual(storesOf(first!))
    const [alone] = streamsOf(first!)
    expect(streamsOf(more).find(({ stream }) => stream === 'transactions')).toEqual(alone)
    expect((await countsOf(sandbox))['/api/v1/partner/transactions']).toBe(alone!.requests)
  } finally {
    await close()
  }
})
