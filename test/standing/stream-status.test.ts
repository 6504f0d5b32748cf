import { expect, test } from 'vitest'
import { DAY_MS, fromIso, toIso } from '../../calendar/days.ts'
import type { LedgerRow } from '../../connectors/destination/coverage.ts'
import { describeSpan, provenParts } from '../../standing/stream-status.ts'
import type { StreamStatus } from '../../standing/stream-status.ts'
import { UNREAD } from './unread-stream.ts'

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
