import { expect, test } from 'vitest'
import { control, startProject, storesOf } from '../helpers/project.ts'

const PER_SECOND = 8
/** A request that a busy machine sends later than its slot arrives together with those after it. */
const LATE_MS = 1_000

async function arrivals(sandbox: Parameters<typeof control>[0]): Promise<number[]> {
  const { requests } = (await control(sandbox, 'GET', 'requests')) as { requests: { at: number }[] }
  return requests.map(({ at }) => at).toSorted((a, b) => a - b)
}

/** By how many requests the worst span of time had more than the limit lets through in it. */
const mostBeyondLimit = (times: readonly number[]): number =>
  Math.max(
    ...times.flatMap((from, first) =>
      times.slice(first).map((until, more) => more + 1 - (PER_SECOND * (until - from)) / 1000),
    ),
  )

test('three commands at once send no more together than one may', async () => {
  const { sandbox, project, close } = await startProject({ stores: 1, seed: 4 })
  try {
    const limits = { concurrency: 8, requestsPerSecond: PER_SECOND }
    project.configure(storesOf(sandbox).map(store => ({ ...store, limits })))
    const read = (from: string, to: string) =>
      project.start('sync', 'transactions', '--from', from, '--to', to).outcome
    const all = await Promise.all([
      read('2026-01-06', '2026-02-03'),
      read('2026-02-03', '2026-03-03'),
      read('2026-03-03', '2026-03-31'),
    ])
    expect(all.map(({ status, stderr }) => [status, stderr.slice(-300)])).toEqual(
      all.map(({ stderr }) => [0, stderr.slice(-300)]),
    )
    const times = await arrivals(sandbox)
    // Three that share nothing send 16 or more beyond it.
    expect(times.length).toBeGreaterThan(5 * PER_SECOND)
    expect(mostBeyondLimit(times)).toBeLessThanOrEqual(1 + (PER_SECOND * LATE_MS) / 1000)
  } finally {
    await close()
  }
})
