import { isDeepStrictEqual } from 'node:util'
import { ScheduleNotFoundError } from '@temporalio/client'
import type { ScheduleDescription, ScheduleHandle, ScheduleSummary } from '@temporalio/client'
import { identifyStore } from '../activities/identify-store.ts'
import type { Config } from '../config.ts'
import { TillageError } from '../errors.ts'
import type { Connected } from '../temporal/session.ts'
import { SCHEDULE_KINDS } from '../workflows/ids.ts'
import { forgetSchedule, recallSchedules, rememberSchedule } from './remember-schedules.ts'
import { changedFacts, describeFacts } from './rules/facts.ts'
import type { FactChange, ScheduleFacts } from './rules/facts.ts'
import { wantedSchedules } from './wanted-schedules.ts'
import type { WantedSchedule } from './wanted-schedules.ts'

/** What `apply` did to one schedule. */
export interface ScheduleChange {
  id: string
  change: 'created' | 'changed' | 'removed' | 'unchanged'
  details: FactChange[]
  /** In words: what it is now, or was. */
  now: string
}

/**
 * Makes Temporal's schedules equal to the configuration. Schedules of this database that are no
 * longer wanted are removed.
 */
export async function applySchedules(
  connected: Connected,
  config: Config,
  log: (line: string) => void,
  signal: AbortSignal,
): Promise<ScheduleChange[]> {
  const { client, taskQueue, dependencies } = connected
  const zones = await findZones(connected, config, log, signal)
  const wanted = wantedSchedules(config, zones, {
    taskQueue,
    firstYear: new Date(dependencies.now()).getUTCFullYear(),
  })
  const known = new Map(
    (await recallSchedules(dependencies.destination.db)).map(schedule => [
      schedule.id,
      schedule.facts,
    ]),
  )
  const changes: ScheduleChange[] = []
  for (const schedule of wanted)
    changes.push(await applyOne(connected, schedule, known.get(schedule.id)))
  const ours = new Set(known.keys())
  for await (const found of client.schedule.list())
    if (isOurs(found, config)) ours.add(found.scheduleId)
  for (const id of ours) {
    if (wanted.some(schedule => schedule.id === id)) continue
    await unlessGone(client.schedule.getHandle(id).delete())
    await forgetSchedule(dependencies.destination, id)
    const before = known.get(id)
    changes.push({
      id,
      change: 'removed',
      details: [],
      now: before === undefined ? '' : describeFacts(before),
    })
  }
  return changes
}

async function applyOne(
  { client, dependencies }: Connected,
  wanted: WantedSchedule,
  before: ScheduleFacts | undefined,
): Promise<ScheduleChange> {
  const handle = client.schedule.getHandle(wanted.id)
  const found = await unlessGone(handle.describe())
  const now = describeFacts(wanted.facts)
  const details = before === undefined ? [] : changedFacts(before, wanted.facts)
  const change =
    found === undefined ? 'created' : isAsWanted(found, wanted) ? 'unchanged' : 'changed'
  if (found === undefined)
    await client.schedule.create({
      ...wanted.options,
      memo: { database: dependencies.destination.path },
    })
  else if (change === 'changed') await update(handle, wanted)
  await rememberSchedule(dependencies.destination, wanted, {
    sinceMs: dependencies.now(),
    anew:
      change === 'created' ||
      details.some(({ what }) => ['at', 'every', 'timeZone'].includes(what)),
    paused: found?.state.paused === true,
    note: found?.state.note,
  })
  // Our facts are the same and Temporal's differ: somebody changed the schedule there, or this
  // version describes the same work in another form.
  const unexplained =
    change === 'changed' && details.length === 0
      ? [{ what: 'in Temporal', old: 'something else', new: 'as in tillage.yaml' }]
      : []
  return {
    id: wanted.id,
    change,
    details: change === 'changed' ? [...details, ...unexplained] : [],
    now,
  }
}

const update = (handle: ScheduleHandle, { options }: WantedSchedule): Promise<void> =>
  handle.update(({ state }) => ({
    spec: options.spec,
    action: options.action,
    policies: options.policies ?? {},
    state,
  }))

function isAsWanted(found: ScheduleDescription, { options }: WantedSchedule): boolean {
  const { action, spec } = found
  return (
    action.workflowType === options.action.workflowType &&
    action.taskQueue === options.action.taskQueue &&
    isDeepStrictEqual(plain(action.args), plain(options.action.args)) &&
    isDeepStrictEqual(
      plain([
        spec.calendars ?? [],
        spec.skip ?? [],
        spec.timezone,
        spec.jitter ?? 0,
        spec.intervals ?? [],
      ]),
      plain([
        options.spec.calendars,
        options.spec.skip ?? [],
        options.spec.timezone,
        options.spec.jitter,
        [],
      ]),
    ) &&
    action.workflowExecutionTimeout === options.action.workflowExecutionTimeout &&
    found.policies.overlap === options.policies?.overlap
  )
}

/** As it comes back from Temporal: what is undefined is not there. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null)) as unknown

/** On a server that others use as well, only what this database's program made. */
const isOurs = (found: ScheduleSummary, config: Config): boolean =>
  SCHEDULE_KINDS.some(kind => found.scheduleId.startsWith(`${kind}/`)) &&
  found.memo?.['database'] === config.database

/** `undefined` where there is no such schedule. */
export async function unlessGone<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return undefined
    throw error
  }
}

/** The zone of each store: as configured, as it was told before, or as the store says now. */
async function findZones(
  { dependencies }: Connected,
  config: Config,
  log: (line: string) => void,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const known = await dependencies.destination.db
    .selectFrom('stores')
    .select(['store_id', 'time_zone'])
    .execute()
  const zones = new Map<string, string>()
  for (const { id, timeZone } of config.stores) {
    const zone = timeZone ?? known.find(({ store_id: store }) => store === id)?.time_zone
    if (zone !== undefined) {
      zones.set(id, zone)
      continue
    }
    try {
      zones.set(id, (await identifyStore(dependencies, { store: id }, signal)).timeZone)
    } catch (error) {
      if (!(error instanceof TillageError)) throw error
      log(
        `${id}: its time zone is not known (${error.code}); its schedules are in UTC until schedule apply can ask again, or timeZone is in tillage.yaml`,
      )
    }
  }
  return zones
}

/** One line for each change, for people. */
export function describeChange({ id, change, details, now }: ScheduleChange): string {
  const what = change === 'unchanged' ? '' : ` ${change}`
  return `schedule ${id}${what}: ${change === 'changed' ? details.map(detail => `${detail.what} ${detail.old} -> ${detail.new}`).join(', ') : now}`
}
