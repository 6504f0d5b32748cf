import { ApplicationFailure } from '@temporalio/common'
import { workflowInfo } from '@temporalio/workflow'
import type { WorkflowInterceptorsFactory } from '@temporalio/workflow'
import { typeOfId } from './ids.ts'
import type { AnswerOfRun } from './results.ts'

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
  outbound: [
    { scheduleActivity: async (input, next) => answerOf(input.activityType, await next(input)) },
  ],
})

/**
 * A signature names the workflow and the activity by their ids, which earlier runs of the same work
 * had, too: an answer says of which run it is. Histories of before hold answers alone.
 */
function answerOf(activity: string, answered: unknown): unknown {
  const { ofRun, answer } = (answered ?? {}) as Partial<AnswerOfRun>
  const { runId, unsafe } = workflowInfo()
  if (ofRun === runId) return answer
  if (ofRun === undefined && unsafe.isReplaying) return answered
  throw refused(`an answer of ${activity} that is of another run`)
}

const refused = (what: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(`not obeyed: ${what}`, 'MESSAGE_REFUSED')
