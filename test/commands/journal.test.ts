import { expect, test } from 'vitest'
import { addDays, dayOf, toIso } from '../../connectors/window.ts'
import { T1 } from '../exports/books/worked-example.ts'
import { bookkeeper } from './bookkeeper.ts'

const HOUR_MS = 3_600_000
const now = Date.now()
/** Two hours ago, everything until then is proven; an hour ago something was read that is not. */
const UNFINISHED = { start: toIso(now - 4 * 24 * HOUR_MS), end: toIso(now - 2 * HOUR_MS) }
const soldAt = (id: string, ms: number) => ({ ...T1, id, created: ms, completedTime: ms, processedTime: ms, modified: ms })

test('a day that is not over is not booked, and what is not proven of it is in no file', async () => {
  const keeper = await bookkeeper()
  keeper.sales([soldAt('PROVEN', now - 2 * HOUR_MS - 60_000)], { window: UNFINISHED })
  keeper.sales([soldAt('DOUBTFUL', now - HOUR_MS)], { window: { start: UNFINISHED.end, end: toIso(now) }, status: 'unproven' })
  const today = dayOf(now - 2 * HOUR_MS, 'America/Los_Angeles')
  const refused = await keeper.journal({ date: today })
  expect(refused).toMatchObject({ status: 3, stdout: '' })
  expect(refused.stderr).toContain(`NOT_PROVEN: downtown is still selling on ${today}`)
  // From yesterday on, so that the cut-off is no matter.
  const exported = JSON.parse((await keeper.export(['transactions'], { from: addDays(today, -1), to: addDays(today, 1) }, true)).stdout) as { files: { rows: number }[] }
  expect(exported.files.map(({ rows }) => rows)).toEqual([1])
})
