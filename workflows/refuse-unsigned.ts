import { ApplicationFailure } from '@temporalio/common'
import type { WorkflowInterceptorsFactory } from '@temporalio/workflow'

/**
 * A start that carries something was refused before it came here, where it is not ours
 * (`temporal/payload-codec.ts`). One that carries nothing holds no signature; ours carry one input.
 */
export const interceptors: WorkflowInterceptorsFactory = () => ({
  inbound: [
    {
      async execute(input, next) {
        if (input.args.length === 1) return next(input)
        throw ApplicationFailure.nonRetryable(
          `a start with ${input.args.length} arguments was not obeyed: ours carry one`,
          'MESSAGE_REFUSED',
        )
      },
    },
  ],
})
