import { expect, test } from 'vitest'
import { control, startProject, storesOf } from '../helpers/project.ts'

const PER_SECOND = 8
const WINDOW_MS = 2_000
/** The API's clock sees requests closer together than they were sent. */
const JITTER = 2

async function arrivals(sandbox: Parameters<typeof control>[0]): Promise<number[]> {
  const { requests } = (await control(sandbox, 'GET', 'requests')) as { requests: { at: number }[] }
  return requests.map(({ at }) => at).toSorted((a, b) => a - b)
}

/** The most that came in any window of time. */
const most = (times: readonly number[]): number =>
  Math.max(
    ...times.map((from, at) => times.slice(at).filter(time => time < from + WINDOW_MS).length),
  )

test('two commands at once send no more together than one may', async () => {
  const { sandbox, project, close } = await startProject({ stores: 1, seed: 4 })
  try {
    const limits = { concurrency: 8, requestsPerSecond: PER_SECOND }
    project.configure(storesOf(sandbox).map(store => ({ ...store, limits })))
    const read = (stream: string) =>
      project.start('sync', stream, '--from', '2026-03-03', '--to', '2026-03-15').outcome
    const both = await Promise.all([read('transactions'), read('members'), read('products')])
    expect(both.map(({ status, stderr }) => [status, stderr.slice(-300)])).toEqual(
      both.map(({ stderr }) => [0, stderr.slice(-300)]),
    )
    const times = await arrivals(sandbox)
    expect(times.length).toBeGreaterThan(3 * PER_SECOND)
    expect(most(times)).toBeLessThanOrEqual((PER_SECOND * WINDOW_MS) / 1000 + 1 + JITTER)
  } finally {
    await close()
  }
})
