import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toIso } from '../../calendar/days.ts'
import type { KnownRun } from '../../connectors/destination/runs.ts'
import { withEndedRuns } from '../../schedules/ended-runs.ts'
import { scheduledWorkflowId, SCHEDULE_KINDS } from '../../workflows/ids.ts'

const STARTED_MS = Date.parse('2026-04-08T10:00:05Z')
const run = (kind: KnownRun['kind'], outcome: KnownRun['outcome']): KnownRun => ({
  kind,
  store: 'downtown',
  day: '2026-04-07',
  dueAt: toIso(STARTED_MS),
  deadlineAt: undefined,
  startedAt: toIso(STARTED_MS),
  finishedAt: undefined,
  outcome,
  attempts: 1,
  detail: '',
})
const kinds = fc.constantFrom(...SCHEDULE_KINDS)
const LATER = STARTED_MS + 61_000

test('a run that Temporal has nothing of was ended there, whether it was due or triggered', () => {
  fc.assert(
    fc.property(kinds, kind => {
      const others = [`${scheduledWorkflowId(kind, 'harbor')}-2026-04-08T10:00:00Z`]
      const [found] = withEndedRuns([run(kind, 'running')], { nowMs: LATER, open: others })
      expect(found!.outcome).toBe('failed')
      expect(found!.detail).toBe('it was ended in Temporal before it was done')
    }),
  )
})

test('a run stays as it is where it is open, where nobody knows, in its first minute, and when it is over', () => {
  fc.assert(
    fc.property(kinds, fc.constantFrom('done' as const, 'failed' as const), (kind, outcome) => {
      const open = [`${scheduledWorkflowId(kind, 'downtown')}-2026-04-08T10:00:00Z`]
      const under = [run(kind, 'running')]
      expect(withEndedRuns(under, { nowMs: LATER, open })).toEqual(under)
      expect(withEndedRuns(under, { nowMs: LATER })).toEqual(under)
      expect(withEndedRuns(under, { nowMs: STARTED_MS + 10_000, open: [] })).toEqual(under)
      const over = [run(kind, outcome)]
      expect(withEndedRuns(over, { nowMs: LATER, open: [] })).toEqual(over)
    }),
  )
})
