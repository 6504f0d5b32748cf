import { Client, WorkflowFailedError } from '@temporalio/client'
import { explainWorkflow } from '../../temporal/follow-workflow.ts'
import type { RunningWorker } from '../../temporal/session.ts'

type Payloads = { payloads?: Payload[] | null }
type Payload = { metadata?: Record<string, Uint8Array> | null; data?: Uint8Array | null }

/** What any user of the machine can do with Temporal's own client, who has no key of ours. */
export class Stranger {
  readonly client: Client
  private readonly taskQueue: string

  constructor({ client, taskQueue }: Pick<RunningWorker, 'client' | 'taskQueue'>) {
    const { connection, options } = client
    this.client = new Client({ connection, namespace: options.namespace })
    this.taskQueue = taskQueue
  }

  get namespace(): string {
    return this.client.options.namespace
  }

  async eventsOf(workflowId: string) {
    const { events } = await this.client.workflow.getHandle(workflowId).fetchHistory()
    return events ?? []
  }

  /** With what it was started; as it is, with its signature. */
  async inputOf(workflowId: string): Promise<Payloads> {
    const [started] = await this.eventsOf(workflowId)
    return started!.workflowExecutionStartedEventAttributes!.input!
  }

  async activitiesOf(workflowId: string): Promise<string[]> {
    return (await this.eventsOf(workflowId)).flatMap(
      ({ activityTaskScheduledEventAttributes: scheduled }) => scheduled?.activityType?.name ?? [],
    )
  }

  /** Types of the activities that a workflow waits for now; none where it is not open. */
  async open(workflowId: string): Promise<string[]> {
    const handle = this.client.workflow.getHandle(workflowId)
    const described = await handle.describe().catch(() => undefined)
    const pending = described?.raw.pendingActivities ?? []
    return pending.map(({ activityType }) => activityType?.name ?? '')
  }

  /** The history as a person reads it: its events, and the payloads that it holds in base64. */
  async read(workflowId: string): Promise<string> {
    const text = JSON.stringify(await this.eventsOf(workflowId))
    const payloads = [...text.matchAll(/"data":"([^"]*)"/g)].map(([, data]) =>
      Buffer.from(data!, 'base64').toString('utf8'),
    )
    return [text, ...payloads].join('\n')
  }

  /** How a workflow that failed came to its end. */
  async endOf(workflowId: string): Promise<string> {
    const error: unknown = await this.client.workflow
      .getHandle(workflowId)
      .result()
      .catch((reason: unknown) => reason)
    if (!(error instanceof WorkflowFailedError)) throw new Error(`${workflowId} did not fail`)
    const { code, message } = explainWorkflow(error).failure
    return `${code} ${message}`
  }

  /** Starts what they like with bytes that they have copied. */
  async start(type: string, workflowId: string, input: Payloads, more: object = {}): Promise<void> {
    await this.client.workflowService.startWorkflowExecution({
      namespace: this.namespace,
      workflowId,
      workflowType: { name: type },
      taskQueue: { name: this.taskQueue },
      requestId: `${workflowId} ${performance.now()}`,
      input,
      ...more,
    })
  }

  /** Takes the next task of a queue, as a worker does. */
  takeActivity(queue: string) {
    const asked = { namespace: this.namespace, taskQueue: { name: queue } }
    return this.waiting(() => this.client.workflowService.pollActivityTaskQueue(asked))
  }

  takeWorkflowTask(queue: string) {
    const asked = { namespace: this.namespace, taskQueue: { name: queue } }
    return this.waiting(() => this.client.workflowService.pollWorkflowTaskQueue(asked))
  }

  private waiting<Answer>(poll: () => Promise<Answer>): Promise<Answer> {
    return this.client.withDeadline(Date.now() + 60_000, poll)
  }

  /** What names one activity of an open workflow, the last of a type. */
  async activity(workflowId: string, type: string) {
    const events = await this.eventsOf(workflowId)
    const scheduled = events.findLast(
      ({ activityTaskScheduledEventAttributes: one }) => one?.activityType?.name === type,
    )
    return {
      namespace: this.namespace,
      workflowId,
      runId: events[0]!.workflowExecutionStartedEventAttributes!.originalExecutionRunId!,
      activityId: scheduled!.activityTaskScheduledEventAttributes!.activityId!,
    }
  }

  /** What a workflow came to; as it is, with its signature. */
  async endingOf(workflowId: string): Promise<Payloads> {
    const last = (await this.eventsOf(workflowId)).at(-1)
    return last!.workflowExecutionCompletedEventAttributes!.result!
  }

  /** What an activity of a type has answered; as it is, with its signature. */
  async resultOf(workflowId: string, type: string): Promise<Payloads> {
    const events = await this.eventsOf(workflowId)
    const scheduled = events.filter(
      ({ activityTaskScheduledEventAttributes: one }) => one?.activityType?.name === type,
    )
    const ids = scheduled.map(({ eventId }) => String(eventId))
    const completed = events.find(({ activityTaskCompletedEventAttributes: one }) =>
      ids.includes(String(one?.scheduledEventId)),
    )
    return completed!.activityTaskCompletedEventAttributes!.result!
  }
}
