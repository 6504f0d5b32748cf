import { expect, test } from 'vitest'
import { dueFirst } from '../../schedules/read-due.ts'
import type { DueLine } from '../../schedules/read-due.ts'

const line = (schedule: string, hour: number, rest: Partial<DueLine> = {}): DueLine => ({
  schedule,
  store: 'downtown',
  timeZone: 'UTC',
  day: '2026-03-05',
  dueAt: `2026-03-05T${String(hour).padStart(2, '0')}:00:00.000Z`,
  deadlineAt: null,
  standing: 'waiting',
  overdue: false,
  since: '',
  detail: '',
  ...rest,
})

test('what did not happen comes first, then what is due next, then what was done', () => {
  const lines = [
    line('done', 1, { standing: 'done' }),
    line('audit later', 9),
    line('nightly sooner', 4),
    line('missed', 3, { standing: 'missed', overdue: true }),
    line('late', 2, { standing: 'done late' }),
  ]
  expect(lines.toSorted(dueFirst).map(({ schedule }) => schedule)).toEqual([
    'missed',
    'nightly sooner',
    'audit later',
    'done',
    'late',
  ])
})
