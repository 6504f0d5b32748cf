import { ApplicationFailure } from '@temporalio/common'
import type { WorkflowInterceptorsFactory } from '@temporalio/workflow'

/**
 * A message that carries something was refused before it came here, where it is not ours
 * (`temporal/payload-codec.ts`). One that carries nothing holds no signature, so whatever is to be
 * obeyed carries one argument.
 */
export const interceptors: WorkflowInterceptorsFactory = () => ({
  inbound: [
    {
      execute: async (input, next) => next(withArgument(input)),
      handleUpdate: async (input, next) => next(withArgument(input)),
      validateUpdate: (input, next) => next(withArgument(input)),
    },
  ],
})

function withArgument<Input extends { args: unknown[] }>(input: Input): Input {
  if (input.args.length === 1) return input
  throw ApplicationFailure.nonRetryable(
    `a message with ${input.args.length} arguments was not obeyed: ours carry one`,
    'MESSAGE_REFUSED',
  )
}
