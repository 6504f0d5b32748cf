import { expect, it } from 'vitest'
import { endingWhenHeard } from '../../activities/apply-plan.ts'
import type { OperationState, OutboundRun } from '../../connectors/destination/outbound.ts'
import { DatabaseError } from '../../errors.ts'
import {
  describeInterrupted,
  findInterrupted,
  inRun,
  isAlive,
  reachedItsEnd,
} from '../../outbound/run.ts'
import type { Runner } from '../../outbound/run.ts'

const NOW = Date.parse('2026-03-10T12:00:00.000Z')
const here = (isRunning: boolean): Runner => ({
  user: 'kim',
  host: 'till-1',
  pid: 1,
  isRunning: () => isRunning,
})
const run = (more: Partial<OutboundRun> = {}): OutboundRun => ({
  plan: 'PL-1',
  run: 'r',
  act: 'apply',
  user: 'kim',
  host: 'till-1',
  pid: 4711,
  processStartedAt: '1',
  startedAt: '2026-03-10T11:00:00.000Z',
  aliveUntil: '2026-03-10T12:00:05.000Z',
  endedAt: null,
  outcome: null,
  ...more,
})
const ended = (outcome: OutboundRun['outcome'], act: OutboundRun['act'] = 'apply'): OutboundRun =>
  run({ endedAt: '2026-03-10T11:30:00.000Z', outcome, act })

it('a run lives as long as its process on this machine, and as its lease on another', () => {
  expect(isAlive(run(), here(true), NOW)).toBe(true)
  expect(isAlive(run(), here(false), NOW)).toBe(false)
  // Its end was not written down: the database was away.
  expect(isAlive(run(), here(true), NOW + 60_000)).toBe(true)
  expect(isAlive(run(), here(true), NOW + 66_000)).toBe(false)
  const elsewhere = run({ host: 'till-2' })
  expect(isAlive(elsewhere, here(false), NOW)).toBe(true)
  expect(isAlive(elsewhere, here(true), NOW + 6_000)).toBe(false)
  expect(isAlive({ ...elsewhere, aliveUntil: '2099-01-01T00:00:00.000Z' }, here(true), NOW)).toBe(
    false,
  )
  expect(isAlive(ended('done'), here(true), NOW)).toBe(false)
})

it('an apply that was killed, stopped or failed in the middle is told, and one that refused is not', () => {
  const told = (one: OutboundRun, ...states: OperationState[]) =>
    findInterrupted(
      [one],
      states.map(state => ({ state, lacksReceipt: false })),
      { runner: here(false), nowMs: NOW },
    )
  expect(told(run(), 'confirmed', 'planned')).toMatchObject({ sent: 1, of: 2 })
  expect(told(run(), 'planned', 'planned')).toMatchObject({ sent: 0, of: 2 })
  expect(told(ended('stopped'), 'confirmed', 'planned')).toMatchObject({ sent: 1 })
  expect(told(ended('stopped'), 'planned', 'planned')).toMatchObject({ sent: 0 })
  expect(told(ended('failed'), 'planned', 'planned')).toBeUndefined()
  expect(told(ended('done'), 'confirmed', 'planned')).toBeUndefined()
  expect(told(run(), 'confirmed', 'stale')).toBeUndefined()
})

it('an apply that died with all sent is told until what the API took has its receipts', () => {
  const told = (run: OutboundRun, ...lacking: boolean[]) =>
    findInterrupted(
      [run],
      lacking.map(lacksReceipt => ({ state: 'confirmed', lacksReceipt })),
      { runner: here(false), nowMs: NOW },
    )
  const interrupted = told(run(), false, true)
  expect(interrupted).toMatchObject({ sent: 2, of: 2, withoutReceipt: 1 })
  expect(describeInterrupted(interrupted!)).toContain('2 of 2 were sent, 1 without a receipt yet')
  expect(told(run(), false, false)).toBeUndefined()
  expect(told(ended('done'), false, true)).toBeUndefined()
})

it('the rest goes on by itself after an apply that ended, and not after one that did not', () => {
  expect(reachedItsEnd([ended('done')])).toBe(true)
  expect(reachedItsEnd([ended('failed', 'due')])).toBe(true)
  for (const one of [run(), ended('failed'), ended('stopped'), run({ act: 'due' })])
    expect(reachedItsEnd([ended('done'), one])).toBe(false)
  // A person's decision is no sending.
  expect(reachedItsEnd([ended('done'), ended('failed', 'resolve')])).toBe(true)
  expect(reachedItsEnd([])).toBe(false)
})

it.each([
  { waits: true, ends: ['failed'] },
  { waits: false, ends: [] },
])(
  'a run of rows that are due waits for a database that is away to hear its end: $waits',
  async ({ waits, ends }) => {
    const ended: unknown[] = []
    let tries = 0
    const away = new DatabaseError('DATABASE_UNREACHABLE', 'away')
    const outbound = {
      runs: async () => [],
      beginRun: async () => true,
      renewRun: async () => true,
      endRun: async (_run: string, _at: string, outcome: unknown) => {
        if (tries++ < 5) throw away
        ended.push(outcome)
      },
    }
    const store = waits ? endingWhenHeard({ outbound, sleep: async () => {} }) : outbound
    const work = (): Promise<never> => Promise.reject(new Error('nothing is sent'))
    const place = { store, runner: here(true), now: () => NOW }
    await expect(inRun(place, { plan: 'PL-1', act: 'due' }, work)).rejects.toThrow(
      'nothing is sent',
    )
    expect(ended).toEqual(ends)
  },
)
