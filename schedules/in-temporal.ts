import { ScheduleNotFoundError } from '@temporalio/client'
import type { ScheduleDescription, ScheduleHandle } from '@temporalio/client'
import { TillageError } from '../errors.ts'
import type { Connected } from '../temporal/session.ts'
import { SCHEDULE_KINDS } from '../workflows/ids.ts'

/** `undefined` where there is no such schedule. */
export async function undefinedIfMissing<Answer>(
  asked: Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return undefined
    throw error
  }
}

/** A schedule as we made it; undefined where there is none, or somebody else has written it. */
export async function findOurs(handle: ScheduleHandle): Promise<ScheduleDescription | undefined> {
  try {
    return await undefinedIfMissing(handle.describe())
  } catch (error) {
    if (error instanceof TillageError && error.code === 'MESSAGE_REFUSED') return undefined
    throw error
  }
}

type Asked = Pick<Connected, 'client' | 'taskQueue'>

/** Schedules whose runs are for this database; a server may hold those of others, too. */
export async function scheduleIdsOf({ client, taskQueue }: Asked): Promise<string[]> {
  const { namespace } = client.options
  const own: string[] = []
  for (const scheduleId of await allIds(client, namespace)) {
    if (!SCHEDULE_KINDS.some(kind => scheduleId.startsWith(`${kind}/`))) continue
    const { schedule } = await client.workflowService.describeSchedule({ namespace, scheduleId })
    if (schedule?.action?.startWorkflow?.taskQueue?.name === taskQueue) own.push(scheduleId)
  }
  return own
}

/** No payload is looked into: those of others are not signed with our key. */
async function allIds(client: Asked['client'], namespace: string): Promise<string[]> {
  const ids: string[] = []
  let nextPageToken = new Uint8Array()
  do {
    const page = await client.workflowService.listSchedules({ namespace, nextPageToken })
    ids.push(...page.schedules.map(({ scheduleId }) => scheduleId ?? ''))
    nextPageToken = Uint8Array.from(page.nextPageToken)
  } while (nextPageToken.length > 0)
  return ids
}
