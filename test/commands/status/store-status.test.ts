import { expect, test } from 'vitest'
import { DAY_MS, fromIso, toIso } from '../../../calendar/days.ts'
import { attentionOf, describeSpan, provenParts } from '../../../commands/status/store-status.ts'
import type { StreamStatus } from '../../../commands/status/store-status.ts'
import type { LedgerRow } from '../../../connectors/destination/coverage.ts'
import { UNREAD } from './stream-status.ts'

const row = (from: string, to: string, status: LedgerRow['status'] = 'proven'): LedgerRow => ({
  startMs: fromIso(`${from}T08:00:00Z`),
  endMs: fromIso(`${to}T08:00:00Z`),
  status,
  evidence: '{}',
})

const GOOD: StreamStatus = { ...UNREAD, rows: 1, lastReadAt: toIso(DAY_MS) }

test('what is proven is said from when until when, with the weeks that were never read inside', () => {
  const { span, gaps } = provenParts([
    row('2026-01-01', '2026-01-08'),
    row('2026-02-10', '2026-02-20'),
    row('2026-02-20', '2026-02-22', 'unproven'),
  ])
  const status = {
    provenFrom: toIso(span!.startMs),
    provenUntil: toIso(span!.endMs),
    gaps: gaps.map(({ startMs, endMs }) => ({ start: toIso(startMs), end: toIso(endMs) })),
  }
  expect(describeSpan(status, 'America/Los_Angeles')).toBe('2026-01-01 to 2026-02-19, 1 gap')
  expect(status.gaps).toEqual([
    { start: '2026-01-08T08:00:00.000Z', end: '2026-02-10T08:00:00.000Z' },
  ])
  expect(describeSpan(GOOD, 'UTC')).toBe('nothing')
})

const NIGHT = {
  schedule: 'nightly/downtown',
  store: 'downtown',
  timeZone: 'UTC',
  day: '2026-03-01',
  dueAt: '',
  deadlineAt: null,
}

test('what is overdue comes before what is not proven, and nothing is said where nothing is wrong', () => {
  const overdue = {
    ...NIGHT,
    standing: 'missed' as const,
    overdue: true,
    detail: 'transactions unproven',
  }
  expect(
    attentionOf(
      [GOOD, { ...GOOD, stream: 'members', unproven: 2, deadLetters: 1 }],
      [overdue, { ...overdue, overdue: false }],
    ),
  ).toEqual([
    'nightly/downtown of 2026-03-01 missed: transactions unproven',
    'members: 2 windows not proven',
    'members: 1 dead letter',
  ])
  expect(attentionOf([GOOD], [])).toEqual([])
  expect(attentionOf([{ ...GOOD, lastReadAt: null }], [])).toEqual(['nothing was read yet'])
})

test('a night that waits for somebody, or is short of time, needs attention before it is missed', () => {
  const night = {
    ...NIGHT,
    standing: 'running' as const,
    overdue: false,
    detail: 'JOURNAL_HELD: it does not tie out',
  }
  const busy = { ...night, detail: 'PARTNER_UNAVAILABLE: the API failed' }
  expect(attentionOf([GOOD], [night, busy])).toEqual([
    'nightly/downtown of 2026-03-01 waits: JOURNAL_HELD: it does not tie out',
  ])
  expect(attentionOf([GOOD], [{ ...busy, standing: 'at risk' }])).toHaveLength(1)
  expect(attentionOf([GOOD], [{ ...night, detail: '' }])).toEqual([])
})
