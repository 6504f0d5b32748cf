import { expect, test } from 'vitest'
import { describeStatus, statusAsJson } from '../../../commands/status/describe-status.ts'
import type { Status, StoreStatus } from '../../../commands/status/describe-status.ts'
import { streams } from '../../../connectors/partner/streams/index.ts'
import { noticeOf } from '../../../standing/notice.ts'
import { UNREAD } from '../../standing/unread-stream.ts'

const STORE: StoreStatus = {
  store: 'downtown',
  configured: true,
  clockSkewMs: 0,
  isZoneWrong: false,
  pace: null,
  timeZone: 'America/Los_Angeles',
  attempt: undefined,
  notices: [],
  streams: streams.map(({ name }) => ({ ...UNREAD, stream: name })),
}
const pace = { perSecond: 18.6, foundAt: '2026-04-02T03:00:00.000Z' }

const status = (store: StoreStatus): Status => ({
  database: 'tillage.db',
  worker: { isUp: false, stranded: [] },
  installation: [],
  stores: [store],
  due: [],
  freshness: [],
  nowMs: 0,
})

test('how fast an API lets itself be asked stands where every stream does, within 80 columns', () => {
  const text = describeStatus(status({ ...STORE, pace }), true)
  expect(text.replaceAll(/\s+/g, ' ')).toContain(
    'The API of downtown answers about 18.6 requests a second and refuses more (found 2026-04-01 20:00).',
  )
  expect(Math.max(...text.split('\n').map(line => line.length))).toBeLessThanOrEqual(80)
  expect(describeStatus(status({ ...STORE, pace }), false)).not.toContain('requests a second')
  expect(describeStatus(status(STORE), true)).not.toContain('requests a second')
})

test('the JSON has the pace, and null where nothing was refused', () => {
  const paceOf = (store: StoreStatus) =>
    (JSON.parse(statusAsJson(status(store))) as { stores: unknown[] }).stores[0]
  expect(paceOf({ ...STORE, pace })).toMatchObject({ pace })
  expect(paceOf(STORE)).toMatchObject({ pace: null })
})

test('that nothing is to do stands once, below the stores, and not where one has a notice', () => {
  const [downtown, ...below] = describeStatus(status(STORE), false).split('\n').slice(1)
  expect(downtown).toMatch(/never\s+never$/)
  expect(below).toContain('  No store needs attention.')
  const notice = noticeOf({ kind: 'write_parked', severity: 'warning', text: 'A push waits.' })
  const attended = describeStatus(status({ ...STORE, notices: [notice] }), false)
  expect(attended).not.toContain('No store needs attention.')
  expect(attended).toContain('A push waits.')
})

test('many lists that are not proven have one line, and a few have one each', () => {
  const unproven = streams.map(({ name }) => `${name}: 2 windows not proven`)
  const told = (count: number): string => {
    const notices = unproven
      .slice(0, count)
      .map(text => noticeOf({ kind: 'unproven', severity: 'critical', text }))
    const its = STORE.streams.map((one, at) => ({ ...one, unproven: at < count ? 2 : 0 }))
    return describeStatus(status({ ...STORE, notices, streams: its }), false)
  }
  expect(told(3).match(/2 windows not proven/g)).toHaveLength(3)
  expect(told(4)).not.toContain('2 windows not proven')
  expect(told(4).replaceAll(/\s+/g, ' ')).toContain(
    '8 windows of 4 lists not proven: tillage status --store downtown',
  )
})
