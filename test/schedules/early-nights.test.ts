import { expect, test } from 'vitest'
import { instantAt } from '../../calendar/clock.ts'
import { printScheduleChanges } from '../../commands/schedule.ts'
import { command as status } from '../../commands/status.ts'
import { earlyNights } from '../../schedules/early-nights.ts'
import { dayBefore } from '../../schedules/rules/night.ts'
import { bookkeeper } from '../commands/bookkeeper.ts'

const ZONE = 'America/Los_Angeles'

test('a night before the cut-off is for the day before yesterday, and says so; one at it is not', async () => {
  const keeper = await bookkeeper()
  const nightsAt = (at: string, every = 'daily'): ReturnType<typeof earlyNights> => {
    keeper.reconfigure({ schedules: { nightly: { at, every } } })
    return earlyNights(keeper.config)
  }
  // The stores of this keeper begin their days at 02:00.
  for (const at of ['00:00', '01:59', '02:00', '03:30', '23:00']) {
    const nightMs = instantAt('2026-05-06', at, ZONE)
    const isBehind = dayBefore(nightMs, { timeZone: ZONE, dayStartsAt: '02:00' }) < '2026-05-05'
    expect(nightsAt(at).length > 0, at).toBe(isBehind)
  }
  expect(nightsAt('01:30')[0]!.warning).toContain('at 01:30 come before its business day ends')
  expect(nightsAt('01:30', 'never')).toEqual([])
})

test('status and schedules name such nights', async () => {
  const keeper = await bookkeeper()
  const said = async (): Promise<string[]> => [
    (await keeper.listen(false, context => status.run(context, {}))).stdout,
    printScheduleChanges(keeper.config).join(),
  ]
  for (const text of await said()) expect(text).not.toContain('day before yesterday')
  keeper.reconfigure({ schedules: { nightly: { at: '01:30' } } })
  for (const text of await said())
    expect(text.replaceAll(/\s+/g, ' ')).toContain('each books the day before yesterday')
})
