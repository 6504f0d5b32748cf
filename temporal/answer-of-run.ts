import type { WorkerOptions } from '@temporalio/worker'
import type { AnswerOfRun } from '../workflows/results.ts'

/**
 * Each answer of an activity says which run of a workflow it is for: one that somebody copies out
 * of the history of an earlier run is not taken (`workflows/refuse-unsigned.ts`).
 */
export const interceptors: NonNullable<WorkerOptions['interceptors']> = {
  activity: [
    ({ info }) => ({
      inbound: {
        execute: async (input, next): Promise<AnswerOfRun> => ({
          ofRun: info.workflowExecution?.runId ?? '',
          answer: await next(input),
        }),
      },
    }),
  ],
}
