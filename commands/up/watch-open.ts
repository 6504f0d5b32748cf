import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../../config.ts'
import type { Delivery } from '../../connectors/destination/notices.ts'
import { decide } from '../../notify/decide.ts'
import { goodMorning, heartbeatOf } from '../../notify/heartbeat.ts'
import type { DueLine } from '../../schedules/read-due.ts'
import { openAlarms } from '../../standing/alarms.ts'
import { startWorkflow } from '../../temporal/follow-workflow.ts'
import type { RunningWorker } from '../../temporal/session.ts'
import { deliverId } from '../../workflows/ids.ts'
import type { Context } from '../command.ts'
import { situationOf } from '../notify/situation.ts'
import { readOpen } from './read-open.ts'

/** What is open is told within a minute. */
const LOOK_EVERY_MS = 15_000
/** Looking takes at most so much of the time of a process that has other work. */
const SHARE_OF_TIME = 20

interface Watched {
  config: Config
  worker: RunningWorker
  /** When each thing that is open was seen first, by its key. */
  firstSeen: Map<string, number>
}

/**
 * Looks at what is open as long as a worker works, and has the channels of `notify` told. What is
 * open is computed anew each time, so nothing is lost with the process; without a process nobody is
 * told, which is what the heartbeat is for.
 */
export function watchOpen(
  { terminal }: Pick<Context, 'terminal'>,
  worker: RunningWorker,
  config: Config,
): void {
  const { channels, heartbeat } = config.notify
  if (channels.length === 0 && heartbeat === undefined) return
  const over = new AbortController()
  worker.stopped.then(
    () => over.abort(),
    () => over.abort(),
  )
  void watch({ config, worker, firstSeen: new Map() }, over.signal, error =>
    terminal.log(`nobody can be told what is open: ${String(error)}`),
  )
}

async function watch(
  watched: Watched,
  signal: AbortSignal,
  say: (error: unknown) => void,
): Promise<void> {
  let hasFailed = false
  while (!signal.aborted) {
    const startedMs = Date.now()
    try {
      await tellOpen(watched, signal)
      hasFailed = false
    } catch (error) {
      if (!signal.aborted && !hasFailed) say(error)
      hasFailed = true
    }
    const pauseMs = Math.max(LOOK_EVERY_MS, (Date.now() - startedMs) * SHARE_OF_TIME)
    await sleep(pauseMs, undefined, { signal }).catch(() => {})
  }
}

/** Decides, remembers, and has everything sent that nobody has taken yet. */
async function tellOpen(watched: Watched, signal: AbortSignal): Promise<void> {
  const { worker } = watched
  const { notices: kept } = worker.dependencies.destination
  const { notices, deliveries } = await lookAndDecide(watched)
  if (signal.aborted) return
  await kept.record(notices, deliveries)
  for (const { id } of await kept.waiting())
    await startWorkflow(worker, {
      type: 'deliverNotice',
      workflowId: deliverId(id),
      input: { delivery: id },
    })
}

async function lookAndDecide({ config, worker, firstSeen }: Watched) {
  const { notices: kept, identity } = worker.dependencies.destination
  const { nowMs, due, notices } = await readOpen(config, worker)
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
