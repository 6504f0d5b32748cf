import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS, toIso } from '../../calendar/days.ts'
import { GATHER_MS } from '../../notify/decide.ts'
import type { NoticeKind } from '../../standing/notice.ts'
import { EVERYTHING, installation, MAIL, OPS, said } from './scene.ts'
import type { Arrival } from './scene.ts'

const T0 = Date.parse('2026-03-02T11:30:00Z')
const brief = (arrivals: readonly Arrival[]) =>
  arrivals.map(({ channel, store, kind, state }) => `${channel} ${store} ${kind} ${state}`)

test('what is open is told once, again after a day, and its end once, under one id', () => {
  const here = installation()
  const held = [said('journal_held', 'downtown', { day: '2026-03-01' })]
  const opened = here.tell(held, T0)
  expect(brief(opened)).toEqual(['ops downtown journal_held opened'])
  expect(here.tell(held, T0 + DAY_MS - 1)).toEqual([])
  const again = here.tell(held, T0 + DAY_MS)
  const closed = here.tell([], T0 + DAY_MS + MINUTE_MS)
  expect(brief([...again, ...closed])).toEqual([
    'ops downtown journal_held again',
    'ops downtown journal_held closed',
  ])
  const all = [...opened, ...again, ...closed]
  expect(new Set(all.map(({ id }) => id)).size).toBe(1)
  expect(all.map(({ key, id }) => key.slice(id.length))).toEqual(['/1', '/2', '/3'])
  expect(here.tell([], T0 + 2 * DAY_MS)).toEqual([])
  const anew = here.tell(held, T0 + 2 * DAY_MS)
  expect(anew[0]!.id).not.toBe(all[0]!.id)
})

test('a night that is at risk and then missed is one thing that got worse', () => {
  const here = installation()
  const night = (kind: NoticeKind) => [said(kind, 'downtown', { day: '2026-03-01' })]
  const arrived = [
    ...here.tell(night('night_at_risk'), T0),
    ...here.tell(night('night_missed'), T0 + HOUR_MS),
    ...here.tell(night('night_failed'), T0 + 2 * HOUR_MS),
    ...here.tell([], T0 + 3 * HOUR_MS),
  ]
  expect(brief(arrived)).toEqual([
    'ops downtown night_at_risk opened',
    'ops downtown night_missed worse',
    'ops downtown night_missed closed',
  ])
  expect(new Set(arrived.map(({ id }) => id)).size).toBe(1)
})

test('fifty stores that an outage takes down are one notice with fifty lines, and five minutes between them', () => {
  const here = installation(EVERYTHING, 60)
  const down = (count: number, nowMs: number) =>
    Array.from({ length: count }, (_, at) =>
      said('store_unreachable', `store-${at}`, { since: toIso(nowMs - HOUR_MS) }),
    )
  expect(here.tell(down(20, T0), T0)).toEqual([])
  expect(here.tell(down(50, T0), T0 + MINUTE_MS)).toEqual([])
  const told = here.tell(down(50, T0), T0 + GATHER_MS)
  expect(brief(told)).toEqual(['ops null store_unreachable opened'])
  expect(told[0]!.text.split('\n')).toHaveLength(50)
  expect(told[0]!.title).toBe('50 stores: the API does not answer')
  expect(here.tell(down(30, T0), T0 + HOUR_MS)).toEqual([])
  expect(brief(here.tell([], T0 + 2 * HOUR_MS))).toEqual(['ops null store_unreachable closed'])
})

test('nights that a machine slept over are one notice a store', () => {
  const here = installation()
  const missed = ['downtown', 'harbor'].flatMap(store =>
    ['2026-02-27', '2026-02-28', '2026-03-01'].map(day => said('night_missed', store, { day })),
  )
  const told = here.tell(missed, T0)
  expect(brief(told)).toEqual([
    'ops downtown night_missed opened',
    'ops harbor night_missed opened',
  ])
  expect(told[0]!.title).toBe('downtown: a night did not happen in time (3)')
  expect(told[0]!.text.split('\n')).toHaveLength(3)
})

test('routes choose channels, what no route names goes everywhere, and a channel is not told of itself', () => {
  const routes = [{ kinds: ['night_missed' as const], stores: ['downtown'], to: ['mail'] }]
  const here = installation({ channels: [OPS, MAIL], routes })
  const since = toIso(T0 - HOUR_MS)
  const arrived = here.tell(
    [
      said('night_missed', 'downtown', { day: '2026-03-01' }),
      said('night_missed', 'harbor', { day: '2026-03-01' }),
      said('delivery_failed', null, { object: 'ops', since }),
    ],
    T0,
  )
  expect(brief(arrived)).toEqual([
    'mail downtown night_missed opened',
    'ops harbor night_missed opened',
    'mail harbor night_missed opened',
    'mail null delivery_failed opened',
  ])
})

test('a failed command of a person, a hint and what has not stood for long enough call nobody', () => {
  const here = installation()
  const ms = T0 - 30 * MINUTE_MS
  const others = [
    said('keys_refused', 'downtown', { wasTold: true }),
    { ...said('dead_letters', 'downtown'), severity: 'hint' as const },
    said('store_unreachable', 'harbor', { since: toIso(ms + 1) }),
    said('run_missed', 'harbor'),
  ]
  expect(here.tell(others, T0)).toEqual([])
  expect(brief(here.tell(others, T0 + 1))).toEqual(['ops harbor store_unreachable opened'])
})

test('what names a record is told without it', () => {
  const [told] = installation().tell(
    [said('journal_held', 'downtown', { day: '2026-03-01', textOutside: 'UNBALANCED 1' })],
    T0,
  )
  expect(told!.text).toBe('downtown: UNBALANCED 1.')
})

const KINDS = [
  'night_at_risk',
  'night_missed',
  'journal_held',
  'keys_refused',
  'dead_letters',
] as const
const stateOf = fc.record({
  open: fc.uniqueArray(
    fc.record({
      kind: fc.constantFrom(...KINDS),
      store: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
      day: fc.constantFrom('2026-03-01', '2026-03-02'),
    }),
    { selector: one => JSON.stringify(one), maxLength: 12 },
  ),
  pauseMs: fc.integer({ min: 1, max: 26 * 60 }).map(minutes => minutes * MINUTE_MS),
})

test('each notice opens once, then ends once, and event numbers rise by one', () => {
  fc.assert(
    fc.property(fc.array(stateOf, { maxLength: 25 }), fc.boolean(), (steps, isQuiet) => {
      const quiet = { from: '22:00', to: '07:00', zone: 'UTC' }
      const settings = isQuiet ? { ...EVERYTHING, quiet } : EVERYTHING
      const here = installation(settings, 6)
      let nowMs = T0
      const arrived: Arrival[] = []
      for (const { open, pauseMs } of [...steps, ...QUIET_END]) {
        const notices = open.map(({ kind, store, day }) => said(kind, store, { day, stream: day }))
        arrived.push(...here.tell(notices, nowMs))
        nowMs += pauseMs
      }
      for (const told of Map.groupBy(arrived, ({ id }) => id).values()) {
        expect(told.map(({ key, id }) => Number(key.slice(id.length + 1)))).toEqual(
          told.map((_, at) => at + 1),
        )
        expect(told.map(({ state }) => state === 'opened').indexOf(true, 1)).toBe(-1)
        expect(told[0]!.state).toBe('opened')
        expect(told.filter(({ state }) => state === 'closed')).toHaveLength(1)
        expect(told.at(-1)!.state).toBe('closed')
        for (const { title } of told) expect(title.length).toBeLessThanOrEqual(80)
      }
      if (isQuiet)
        for (const { severity, at } of arrived)
          expect(
            severity === 'critical' || (at.slice(11) >= '07:00' && at.slice(11) < '22:00'),
          ).toBe(true)
    }),
  )
})

/** Nothing is open any more, long enough for quiet hours to end. */
const QUIET_END = Array.from({ length: 4 }, () => ({ open: [], pauseMs: 6 * HOUR_MS }))

test('the twin: without quiet hours a warning does arrive at night', () => {
  const night = Date.parse('2026-03-02T23:00:00Z')
  expect(
    installation().tell([said('dead_letters', 'a', { stream: 'members' })], night),
  ).toHaveLength(1)
  const quiet = { from: '22:00', to: '07:00', zone: 'UTC' }
  const held = installation({ ...EVERYTHING, quiet })
  const open = [said('dead_letters', 'a', { stream: 'members' })]
  expect(held.tell(open, night)).toEqual([])
  expect(held.tell([said('journal_held', 'a', { day: '2026-03-01' })], night)).toHaveLength(1)
  expect(held.tell(open, night + 8 * HOUR_MS - 1).map(({ state }) => state)).toEqual(['closed'])
  expect(brief(held.tell(open, night + 8 * HOUR_MS))).toEqual(['ops a dead_letters opened'])
})
