import { expect, test } from 'vitest'
import { mostBeyondLimit } from '../helpers/arrivals.ts'
import { arrivalsAt } from '../helpers/asked.ts'
import { startProject, storesOf } from '../helpers/project.ts'

const PER_SECOND = 4
/** A busy machine may send a request so much later than its slot. */
const LATE_MS = 3_000

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
    const times = await arrivalsAt(sandbox)
    // Three that share nothing send two thirds of all beyond it.
    expect(times.length).toBeGreaterThan(10 * PER_SECOND)
    const mostLate = (PER_SECOND * LATE_MS) / 1000
    expect(mostBeyondLimit(times, PER_SECOND)).toBeLessThanOrEqual(1 + mostLate)
  } finally {
    await close()
  }
})
