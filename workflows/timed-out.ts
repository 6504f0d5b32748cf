import type { Failure } from './results.ts'

/** Temporal gave up a step that nobody reported of; its own words do not say what to do. */
export const timedOut = (timeoutType = 'unknown'): Failure => ({
  code: 'WORK_TIMED_OUT',
  message: `a step of the work did not report in time (${timeoutType.toLowerCase()})`,
  remedy:
    'This machine is overloaded or was asleep, or the worker was ended. What was committed stays, ' +
    'and nothing is sent twice: run the same command again when it has less to do.',
})
