import type { Config } from '../../config.ts'
import type { Delivery } from '../../connectors/destination/notices.ts'
import { decide } from '../../notify/decide.ts'
import { goodMorning, heartbeatOf } from '../../notify/heartbeat.ts'
import type { DueLine } from '../../schedules/read-due.ts'
import { openAlarms } from '../../standing/alarms.ts'
import { startWorkflow } from '../../temporal/follow-workflow.ts'
import { deliverId } from '../../workflows/ids.ts'
import { situationOf } from '../notify/situation.ts'
import { readOpen } from './read-open.ts'
import type { Telling } from './read-open.ts'

/** A worker that tells others what is open; its clock says when that is. */
export interface Watched extends Telling {
  /** When each thing that is open was seen first, by its key. */
  firstSeen: Map<string, number>
}

/** Decides, remembers, and has everything sent that nobody has taken yet. */
export async function tellOpen(watched: Watched, signal: AbortSignal): Promise<void> {
  const { worker } = watched
  const { notices: kept } = worker.dependencies.destination
  const { notices, deliveries } = await readAndDecide(watched)
  if (signal.aborted) return
  await kept.record(notices, deliveries)
  for (const { id } of await kept.waiting())
    await startWorkflow(worker, {
      type: 'deliverNotice',
      workflowId: deliverId(id),
      input: { delivery: id },
    })
}

async function readAndDecide(watched: Watched) {
  const { config, worker, firstSeen } = watched
  const { notices: kept, identity } = worker.dependencies.destination
  const { nowMs, due, notices } = await readOpen(watched)
  noteSeen(firstSeen, openAlarms(notices, nowMs), nowMs)
  const place = { config, kept, database: await identity.id() }
  const decision = decide(await situationOf(place, notices, { nowMs, firstSeen }))
  const beats = await heartbeats({ ...place, due, nowMs })
  return { ...decision, deliveries: [...decision.deliveries, ...beats] }
}

function noteSeen(
  firstSeen: Map<string, number>,
  open: readonly { key: string }[],
  nowMs: number,
): void {
  const keys = new Set(open.map(({ key }) => key))
  for (const key of firstSeen.keys()) if (!keys.has(key)) firstSeen.delete(key)
  for (const key of keys) if (!firstSeen.has(key)) firstSeen.set(key, nowMs)
}

async function heartbeats({
  config,
  database,
  due,
  nowMs,
}: {
  config: Config
  database: string
  due: readonly DueLine[]
  nowMs: number
}): Promise<Delivery[]> {
  if (config.notify.heartbeat === undefined) return []
  const day = goodMorning(
    config.stores.map(({ id }) => id),
    due,
    nowMs,
  )
  return day === undefined ? [] : [heartbeatOf(database, day, nowMs)]
}
