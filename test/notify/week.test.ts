import { expect, test } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS, toIso } from '../../calendar/days.ts'
import type { Notice } from '../../standing/notice.ts'
import { installation, MAIL, OPS, said } from './scene.ts'

const MONDAY = Date.parse('2026-03-02T00:00:00Z')
const at = (day: number, hour: number, minute = 0): number =>
  MONDAY + day * DAY_MS + hour * HOUR_MS + minute * MINUTE_MS

/** What was open in that week: from when until when. */
const WEEK: readonly [fromMs: number, toMs: number, notice: Notice][] = [
  [at(0, 3, 30), at(0, 5), said('night_at_risk', 'downtown', { day: '2026-03-01' })],
  [at(0, 5), at(0, 8, 20), said('night_missed', 'downtown', { day: '2026-03-01' })],
  [at(2, 5), at(2, 9, 25), said('night_missed', 'downtown', { day: '2026-03-03' })],
  [at(2, 5), at(2, 9, 25), said('night_missed', 'harbor', { day: '2026-03-03' })],
  [at(3, 3, 30), at(3, 9, 10), said('keys_refused', 'harbor')],
  [at(4, 2), at(4, 7, 40), said('disk_low', null)],
  [at(5, 18), at(7, 8), said('delivery_failed', null, { object: 'ops', since: toIso(at(5, 18)) })],
  [at(6, 3), at(6, 6), said('dead_letters', 'downtown', { stream: 'members' })],
]
const isAsleep = (ms: number): boolean => ms >= at(2, 1) && ms < at(2, 9)

test('a week of two stores: what arrived, when, and nothing that nobody needed', () => {
  const quiet = { from: '22:00', to: '07:00', zone: 'UTC' }
  const here = installation({ channels: [OPS, MAIL], routes: [], quiet })
  const arrived: string[] = []
  for (let ms = MONDAY; ms < MONDAY + 8 * DAY_MS; ms += MINUTE_MS) {
    if (isAsleep(ms)) continue
    const open = WEEK.filter(([fromMs, toMs]) => ms >= fromMs && ms < toMs)
    const told = here.tell(
      open.map(([, , notice]) => notice),
      ms,
    )
    for (const [key, ones] of Map.groupBy(told, one => `${one.state} ${one.kind} ${one.store}`))
      arrived.push(
        `${toIso(ms).slice(5, 16)} ${key}: ${ones.map(({ channel }) => channel).join(' ')}`,
      )
  }
  expect(arrived).toEqual([
    '03-02T05:00 opened night_missed downtown: ops mail',
    '03-02T08:20 closed night_missed downtown: ops mail',
    '03-04T09:00 opened night_missed downtown: ops mail',
    '03-04T09:00 opened night_missed harbor: ops mail',
    '03-04T09:25 closed night_missed downtown: ops mail',
    '03-04T09:25 closed night_missed harbor: ops mail',
    '03-05T03:30 opened keys_refused harbor: ops mail',
    '03-05T09:10 closed keys_refused harbor: ops mail',
    '03-06T02:00 opened disk_low null: ops mail',
    '03-06T07:40 closed disk_low null: ops mail',
    '03-07T19:00 opened delivery_failed null: mail',
    '03-08T19:00 again delivery_failed null: mail',
    '03-09T08:00 closed delivery_failed null: mail',
  ])
})
