import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { estimateMs, isOverdue, standingOf } from '../../../schedules/rules/standing.ts'
import type { Due, RunFacts } from '../../../schedules/rules/standing.ts'

const MINUTE = 60_000
const due = (change: Partial<Due> = {}): Due => ({
  dueMs: 0,
  deadlineMs: 90 * MINUTE,
  run: undefined,
  paused: false,
  ...change,
})
const run = (change: Partial<RunFacts> = {}): RunFacts => ({
  startedMs: MINUTE,
  finishedMs: undefined,
  outcome: 'running',
  ...change,
})
const at = (minute: number, change: Partial<Due> = {}): string =>
  standingOf(due(change), minute * MINUTE, 20 * MINUTE)

describe('how a run stands', () => {
  test('from waiting to done', () => {
    expect([
      at(-5),
      at(5),
      at(5, { run: run() }),
      at(60, { run: run({ outcome: 'done', finishedMs: 50 * MINUTE }) }),
    ]).toEqual(['waiting', 'waiting', 'running', 'done'])
  })

  test('a deadline is at risk before it is missed, and missed only until the work is done after all', () => {
    expect([
      at(69, { run: run() }),
      at(71, { run: run() }),
      at(89, { run: run() }),
      at(91, { run: run() }),
    ]).toEqual(['running', 'at risk', 'at risk', 'missed'])
    expect(at(200, { run: run({ outcome: 'done', finishedMs: 100 * MINUTE }) })).toBe('done late')
  })

  test('a night that goes on as always is at risk at no moment, however near its deadline is', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: MINUTE, max: 600 * MINUTE }), { minLength: 1, maxLength: 9 }),
        fc.integer({ min: 0, max: 9 * MINUTE }),
        fc.nat({ max: 600 * MINUTE }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (tookMs, startedMs, spareMs, share) => {
          const longest = Math.max(...tookMs.slice(0, 7))
          const one = due({ deadlineMs: startedMs + longest + spareMs, run: run({ startedMs }) })
          const nowMs = startedMs + Math.floor(longest * share)
          expect(standingOf(one, nowMs, estimateMs(tookMs))).toBe('running')
        },
      ),
    )
  })

  test('a night that began too late is at risk from its start, whatever it says', () => {
    fc.assert(
      fc.property(fc.integer({ min: 77, max: 89 }), fc.boolean(), (minute, waits) => {
        const late = run({ startedMs: minute * MINUTE, waits })
        expect(at(minute, { run: late })).toBe('at risk')
      }),
    )
  })

  test('the time in which a night waited for its next try is no work', () => {
    const late = (waits: boolean): string => at(74, { run: run({ startedMs: 62 * MINUTE, waits }) })
    expect([late(false), late(true)]).toEqual(['running', 'at risk'])
  })

  test('a deadline that cannot be kept is at risk before the night has begun', () => {
    expect(at(-60, { deadlineMs: 15 * MINUTE })).toBe('at risk')
  })

  test('one that never started, one that somebody paused, one that failed, one whose worker is gone', () => {
    expect([
      at(11),
      at(11, { paused: true }),
      at(11, { run: run({ outcome: 'failed', finishedMs: 2 }) }),
    ]).toEqual(['not started', 'paused', 'failed'])
    expect(at(25 * 60, { run: run(), deadlineMs: undefined })).toBe('stuck')
  })

  test('one that has begun runs only as long as a worker is up', () => {
    expect([
      at(5, { run: run(), noWorker: true }),
      at(5, { run: run(), noWorker: false }),
      at(5, { noWorker: true }),
      at(91, { run: run(), noWorker: true }),
    ]).toEqual(['halted', 'running', 'waiting', 'missed'])
  })

  test('one that has begun is at risk while nobody writes its files, however far its deadline is', () => {
    expect([
      at(5, { run: run(), noExports: true }),
      at(5, { run: run(), noExports: true, deadlineMs: undefined }),
      at(5, { noExports: true }),
      at(91, { run: run(), noExports: true }),
    ]).toEqual(['at risk', 'at risk', 'waiting', 'missed'])
  })

  test('what is paused is overdue only after its time', () => {
    expect([
      isOverdue('paused', due(), -MINUTE),
      isOverdue('paused', due(), 11 * MINUTE),
      isOverdue('done late', due(), 0),
      isOverdue('at risk', due(), 0),
    ]).toEqual([false, true, false, false])
  })

  test('silence never lasts: whatever is not done is overdue within a day and its deadline', () => {
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.option(fc.integer({ min: 1, max: 1440 }), { nil: undefined }),
        fc.constantFrom(undefined, 'running' as const, 'failed' as const),
        fc.boolean(),
        (paused, deadline, outcome, noExports) => {
          const one = due({
            paused,
            noExports,
            deadlineMs: deadline === undefined ? undefined : deadline * MINUTE,
            run: outcome === undefined ? undefined : run({ outcome }),
          })
          const nowMs = 25 * 60 * MINUTE
          expect(isOverdue(standingOf(one, nowMs, 0), one, nowMs)).toBe(true)
        },
      ),
    )
  })
})

test('the next run is expected to take as long as the longest of the last seven, and half as long again', () => {
  expect([
    estimateMs([]),
    estimateMs([1]),
    estimateMs([4 * MINUTE, 10 * MINUTE]),
    estimateMs([...Array<number>(7).fill(2 * MINUTE), 90 * MINUTE]),
  ]).toEqual([10 * MINUTE, MINUTE, 15 * MINUTE, 3 * MINUTE])
})
