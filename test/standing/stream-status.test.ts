import { expect, test } from 'vitest'
import { describeSpan } from '../../standing/stream-status.ts'
import { UNREAD } from './unread-stream.ts'

test('what is proven is said from when until when, with the weeks that were never read inside', () => {
  const status = {
    provenFrom: '2026-01-01T08:00:00.000Z',
    provenUntil: '2026-02-20T08:00:00.000Z',
    gaps: [{ start: '2026-01-08T08:00:00.000Z', end: '2026-02-10T08:00:00.000Z' }],
  }
  expect(describeSpan(status, 'America/Los_Angeles')).toBe('2026-01-01 to 2026-02-19, 1 gap')
  expect(describeSpan({ ...status, gaps: [] }, 'UTC')).toBe('2026-01-01 to 2026-02-20 08:00')
  expect(describeSpan(UNREAD, 'UTC')).toBe('nothing')
})
