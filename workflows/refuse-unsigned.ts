import { ApplicationFailure } from '@temporalio/common'
import { workflowInfo } from '@temporalio/workflow'
import type { WorkflowInterceptorsFactory } from '@temporalio/workflow'
import { typeOfId } from './ids.ts'

/**
 * A start that carries something was refused before it came here, where it is not ours
 * (`temporal/payload-codec.ts`). One that carries nothing holds no signature; ours carry one input.
 * A signature names the id and not the workflow, so a copied message must not start another one.
 */
export const interceptors: WorkflowInterceptorsFactory = () => ({
  inbound: [
    {
      async execute(input, next) {
        if (input.args.length !== 1)
          throw refused(`a start with ${input.args.length} arguments: ours carry one`)
        const { workflowId, workflowType } = workflowInfo()
        const type = typeOfId(workflowId) ?? workflowType
        if (type !== workflowType)
          throw refused(`a start of ${workflowType} as ${workflowId}, which is of ${type}`)
        return next(input)
      },
    },
  ],
})

const refused = (what: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(`not obeyed: ${what}`, 'MESSAGE_REFUSED')
