import { ScheduleNotFoundError, ScheduleOverlapPolicy, type Client, type ScheduleOptions } from '@temporalio/client'
import type { Config, StoreConfig } from '../config.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { syncStoreId } from '../workflows/ids.ts'

const scheduleId = (store: string): string => `nightly/${store}`

/** Makes one nightly schedule per store equal to the configuration; answers what it changed, in words. */
export async function applyNightly(client: Client, taskQueue: string, config: Config): Promise<string[]> {
  const changes: string[] = []
  for (const store of config.stores) {
    const wanted = nightly(store, config.schedules.syncAt, taskQueue)
    const handle = client.schedule.getHandle(wanted.scheduleId)
    try {
      await handle.update((current) => ({ ...wanted, state: current.state }))
      changes.push(`schedule ${wanted.scheduleId}: every day at ${config.schedules.syncAt} (${store.timeZone ?? 'UTC'})`)
    } catch (error) {
      if (!(error instanceof ScheduleNotFoundError)) throw error
      await client.schedule.create(wanted)
      changes.push(`schedule ${wanted.scheduleId} created: every day at ${config.schedules.syncAt} (${store.timeZone ?? 'UTC'})`)
    }
  }
  return changes
}

/** A night that was missed for less than a day is caught up; two nights of one store never run at once. */
function nightly(store: StoreConfig, syncAt: string, taskQueue: string): ScheduleOptions {
  const [hour, minute] = syncAt.split(':').map(Number)
  const work = { store: store.id, streams: streams.map(({ name }) => name) }
  return {
    scheduleId: scheduleId(store.id),
    spec: { calendars: [{ hour: hour!, minute: minute! }], timezone: store.timeZone ?? 'UTC', jitter: '2 minutes' },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '20 hours' },
    action: { type: 'startWorkflow', workflowType: 'syncStore', workflowId: syncStoreId(work, work.streams), taskQueue, args: [work] },
  }
}
