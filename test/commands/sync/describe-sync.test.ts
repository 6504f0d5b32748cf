import { expect, test } from 'vitest'
import { describeTroubles } from '../../../commands/sync/describe-sync.ts'
import type { IsKnown } from '../../../commands/sync/describe-sync.ts'

const stream = (name: string, unproven: number) => ({
  stream: name,
  windows: { proven: 1, unproven },
  records: { fetched: 0, inserted: 0, updated: 0, unchanged: 0, duplicate: 0, deadLettered: 0 },
  requests: 1,
  deadLetters: 0,
  findings: [{ code: 'page_cap', detail: 'got 40' }],
})

const REPORT = {
  stores: [
    {
      store: 'denver',
      notOffered: ['doctors', 'regions'],
      streams: [stream('members', 0), stream('batches', 1)],
    },
  ],
  busy: { api: 0, database: 0, either: 0 },
} as unknown as Parameters<typeof describeTroubles>[0]

test('a first sync reports all findings, a later one those that are new or may explain what is unproven', () => {
  const first = [
    'denver: the API does not offer doctors, regions to this partner key',
    'denver batches: 1 window is not proven. Why: tillage coverage batches --store denver',
    'denver batches: found page_cap (got 40)',
    'denver members: found page_cap (got 40)',
    'What findings mean, and whether there is anything to do: tillage findings',
  ]
  expect(describeTroubles(REPORT)).toEqual(first)
  const isKnown: IsKnown = ({ code }) => code === 'page_cap'
  expect(describeTroubles(REPORT, isKnown)).toEqual(first.toSpliced(3, 1))
  const oneIsKnown: IsKnown = ({ code, stream: list }) =>
    code === 'not_offered' && list === 'regions'
  expect(describeTroubles(REPORT, oneIsKnown)[0]).toMatch(/not offer doctors to this/)
  expect(describeTroubles(REPORT, () => true).join()).not.toContain('not offer')
})

test('a finding that many lists share is one line, and a run without any has no line about findings', () => {
  const lists = ['members', 'batches', 'products'].map(name => stream(name, 0))
  const told = (streams: typeof lists) =>
    describeTroubles({ ...REPORT, stores: [{ store: 'denver', streams }] })
  expect(told(lists)).toEqual([
    'denver: found page_cap in members, batches, products (members: got 40)',
    'What findings mean, and whether there is anything to do: tillage findings',
  ])
  const often = lists.map(list => ({ ...list, findings: [...list.findings, ...list.findings] }))
  expect(told(often)).toEqual(told(lists))
  expect(told(lists.map(list => ({ ...list, findings: [] })))).toEqual([])
})

test('each list that failed is named, those of one code together, with what to do once', () => {
  const refused = (name: string) => ({
    code: 'PARTNER_PERMISSION',
    message: `GET /${name} answered 403`,
    remedy: 'Ask the platform.',
  })
  const failed = ['batches', 'members'].map(name => ({
    ...stream(name, 0),
    findings: [],
    error: refused(name),
  }))
  const other = { code: 'INTERRUPTED', message: 'the work was stopped by somebody else' }
  const told = (...streams: object[]) =>
    describeTroubles({
      ...REPORT,
      stores: [{ store: 'denver', streams: streams as never, error: refused('batches') }],
    })
  const both = 'denver: PARTNER_PERMISSION in batches, members: GET /batches answered 403'
  expect(told(...failed)).toEqual([`${both}\nAsk the platform.`])
  expect(told(...failed, { ...failed[0], stream: 'vendors', error: other })).toEqual([
    `${both}\nAsk the platform.`,
    'denver: INTERRUPTED in vendors: the work was stopped by somebody else',
  ])
  // The store itself could not be identified: no list was asked for.
  expect(told()).toEqual([
    'denver: PARTNER_PERMISSION: GET /batches answered 403\nAsk the platform.',
  ])
})
