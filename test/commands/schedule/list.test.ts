import { expect, test } from 'vitest'
import { scheduleList } from '../../../commands/schedule/list.ts'
import { bookkeeper } from '../bookkeeper.ts'

const OFF = { every: 'never' }

test('a list of no schedules says whether they are still to be applied, or all off', async () => {
  const keeper = await bookkeeper()
  const list = async (): Promise<string> =>
    (await keeper.listen(false, context => scheduleList(context, {}))).stdout
  expect(await list()).toBe('no schedules yet: tillage schedule apply')
  keeper.reconfigure({ schedules: { nightly: OFF, sweep: OFF, check: OFF } })
  expect(await list()).toMatch(/^nothing runs by itself: every schedule is off\. Turn on/)
})
