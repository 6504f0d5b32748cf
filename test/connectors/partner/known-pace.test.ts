import { expect, test } from 'vitest'
import { knownPace, paceFact } from '../../../connectors/partner/pace.ts'

const NOW_MS = Date.UTC(2026, 3, 2, 3)
const kept = (perSecond: number, seenAt: string) => [{ ...paceFact(perSecond), seenAt }]

test('a run begins a little below the pace that was kept, and lower after a day', () => {
  expect(knownPace(kept(20, '2026-04-01T03:00:01.000Z'), NOW_MS)).toBeCloseTo(19)
  expect(knownPace(kept(20, '2026-04-01T03:00:00.000Z'), NOW_MS)).toBeCloseTo(16)
  expect(knownPace(kept(0.5, '2026-03-01T03:00:00.000Z'), NOW_MS)).toBeCloseTo(0.4)
})

test('nothing is known where nothing was kept, or something else', () => {
  const seenAt = '2026-04-02T00:00:00.000Z'
  expect(knownPace([], NOW_MS)).toBeUndefined()
  expect(knownPace([{ ...paceFact(20), seenAt, value: 'unknown' }], NOW_MS)).toBeUndefined()
  expect(knownPace([{ ...paceFact(20), seenAt, stream: 'members' }], NOW_MS)).toBeUndefined()
})
