import { expect, it } from 'vitest'
import { goodMorning } from '../../notify/heartbeat.ts'
import type { DueLine } from '../../schedules/read-due.ts'

const NOW = '2026-03-09T12:00:00.000Z'

const line = (day: string, dueAt: string, change: Partial<DueLine> = {}): DueLine => ({
  schedule: 'nightly/downtown',
  store: 'downtown',
  timeZone: 'UTC',
  day,
  dueAt,
  deadlineAt: null,
  standing: 'done',
  overdue: false,
  since: dueAt,
  detail: '',
  ...change,
})

const NIGHT = line('2026-03-08', '2026-03-09T03:00:00.000Z')
const NEXT = line('2026-03-09', '2026-03-10T03:00:00.000Z', { standing: 'waiting' })

const morning = (...due: DueLine[]): string | undefined =>
  goodMorning(['downtown'], due, Date.parse(NOW))

it('is the newest night, once it is done in time', () => {
  expect(morning(NIGHT, NEXT)).toBe('2026-03-08')
  expect(morning({ ...NIGHT, standing: 'done late' }, NEXT)).toBeUndefined()
  expect(morning({ ...NIGHT, standing: 'running' }, NEXT)).toBeUndefined()
  expect(morning(NEXT)).toBeUndefined()
})

it('does not wait for a night that somebody triggered for an earlier day', () => {
  const triggered = line('2026-02-01', '2026-03-09T10:00:00.000Z', { standing: 'running' })
  expect(morning(triggered, NIGHT, NEXT)).toBe('2026-03-08')
  expect(morning(triggered, { ...NIGHT, standing: 'missed' }, NEXT)).toBeUndefined()
})

it('is of all stores on one day', () => {
  const both = ['downtown', 'harbor']
  const harbor = { schedule: 'nightly/harbor', store: 'harbor' }
  const of = (change: Partial<DueLine>): string | undefined =>
    goodMorning(both, [NIGHT, { ...NIGHT, ...harbor, ...change }], Date.parse(NOW))
  expect(of({})).toBe('2026-03-08')
  expect(of({ day: '2026-03-07' })).toBeUndefined()
  expect(of({ standing: 'failed' })).toBeUndefined()
})
