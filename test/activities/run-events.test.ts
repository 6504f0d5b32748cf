import { expect, test } from 'vitest'
import type { Dependencies, RunEvent } from '../../activities/dependencies.ts'
import { createRunReporter } from '../../activities/run-events.ts'

test('a run that begins names its deadline by the clocks of the store', async () => {
  const told: RunEvent[] = []
  const report = createRunReporter({
    now: () => Date.parse('2026-11-22T14:17:00Z'),
    onRunEvent: (event: RunEvent) => told.push(event),
    store: () => ({ settings: {} }),
    destination: { stores: { find: () => Promise.resolve({ timeZone: 'America/Denver' }) } },
  } as unknown as Dependencies)
  const run = {
    kind: 'nightly' as const,
    store: 'denver',
    day: '2026-11-21',
    dayStart: '',
    dayEnd: '',
    from: '',
    to: '',
    estimateMs: 0,
  }
  await report.begun({ ...run, deadline: '2026-11-22T17:30:00.000Z' })
  await report.begun({ ...run, deadline: undefined })
  expect(told.map(({ detail }) => detail)).toEqual([
    'must be ready by 2026-11-22 10:30 (America/Denver)',
    '',
  ])
})
