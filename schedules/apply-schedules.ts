import { isDeepStrictEqual } from 'node:util'
import { ScheduleAlreadyRunning } from '@temporalio/client'
import type {
  Client,
  ScheduleDescription,
  ScheduleHandle,
  ScheduleOptions,
} from '@temporalio/client'
import { identifyStore } from '../activities/identify-store.ts'
import type { Config } from '../config.ts'
import { TillageError } from '../errors.ts'
import type { Connected } from '../temporal/session.ts'
import { findOurs, scheduleIdsOf, undefinedIfMissing } from './in-temporal.ts'
import { toKnownSchedule, knownSchedules } from './known-schedules.ts'
import type { KnownSchedule } from './known-schedules.ts'
import { orderFinder } from './orders.ts'
import { changedFacts, describeFacts } from './rules/facts.ts'
import type { FactChange } from './rules/facts.ts'
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
  const { client, taskQueue, hasSearchAttributes, dependencies } = connected
  // What fires from now on does what is wanted now.
  dependencies.findOrder = orderFinder(config)
  const zones = await findZones(connected, config, log, signal)
  const wanted = wantedSchedules(config, zones, {
    taskQueue,
    hasSearchAttributes,
    firstYear: new Date(dependencies.now()).getUTCFullYear(),
  })
  const { schedules } = dependencies.destination
  const known = new Map(
    (await knownSchedules(schedules)).map(schedule => [schedule.id, schedule] as const),
  )
  const changes: ScheduleChange[] = []
  for (const schedule of wanted)
    changes.push(await applyOne(connected, schedule, known.get(schedule.id)))
  const ours = new Set([...known.keys(), ...(await scheduleIdsOf(connected))])
  for (const id of ours) {
    if (wanted.some(schedule => schedule.id === id)) continue
    await undefinedIfMissing(client.schedule.getHandle(id).delete())
    await schedules.forget(id)
    const before = known.get(id)
    const now = before === undefined ? '' : describeFacts(before.facts)
    changes.push({ id, change: 'removed', details: [], now })
  }
  return changes
}

/** Times from which on nothing counts as missed that was due at others before. */
const TIMES = ['at', 'every', 'timeZone']

async function applyOne(
  { client, dependencies }: Connected,
  wanted: WantedSchedule,
  before: KnownSchedule | undefined,
): Promise<ScheduleChange> {
  const { destination } = dependencies
  const details = before === undefined ? [] : changedFacts(before.facts, wanted.facts)
  const { change, state } = await makeAsWanted(client, wanted, pauseOf(before))
  const standing = {
    nowMs: dependencies.now(),
    isPaused: state.paused,
    note: state.note,
    // One that Temporal has lost is not new: what was due meanwhile was missed.
    isNew: before === undefined || details.some(({ what }) => TIMES.includes(what)),
  }
  await destination.schedules.keep(toKnownSchedule(wanted, before, standing))
  return {
    id: wanted.id,
    change,
    details: change === 'changed' ? explained(details) : [],
    now: describeFacts(wanted.facts),
  }
}

type Pause = ReturnType<typeof pauseOf>

interface Made {
  change: 'created' | 'changed' | 'unchanged'
  state: Pause
}

/** Of two workers that start at the same moment, one makes it and the other one finds it. */
async function makeAsWanted(client: Client, wanted: WantedSchedule, pause: Pause): Promise<Made> {
  const handle = client.schedule.getHandle(wanted.id)
  for (;;) {
    const found = await findOurs(handle)
    if (found === undefined) {
      if (await isCreated(client, { ...wanted.options, state: pause }))
        return { change: 'created', state: pause }
    } else {
      const isSame = isAsWanted(found, wanted)
      if (!isSame) await update(handle, wanted)
      return { change: isSame ? 'unchanged' : 'changed', state: found.state }
    }
  }
}

/** False where one is there by now: ours is to be looked at, what somebody else wrote goes. */
async function isCreated(client: Client, options: ScheduleOptions): Promise<boolean> {
  try {
    await client.schedule.create(options)
    return true
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
    const handle = client.schedule.getHandle(options.scheduleId)
    if ((await findOurs(handle)) === undefined) await undefinedIfMissing(handle.delete())
    return false
  }
}

/** A pause is somebody's decision: it outlives a server that has lost its file. */
const pauseOf = (before: KnownSchedule | undefined): { paused: boolean; note?: string } => ({
  paused: before?.pausedAt !== undefined,
  ...(before?.note === undefined ? {} : { note: before.note }),
})

/**
 * Where our facts are the same and Temporal's differ, somebody changed the schedule there, or this
 * version describes the same work in another form.
 */
const explained = (details: FactChange[]): FactChange[] =>
  details.length > 0
    ? details
    : [{ what: 'in Temporal', old: 'something else', new: 'as in tillage.yaml' }]

const update = (handle: ScheduleHandle, { options }: WantedSchedule): Promise<void> =>
  handle.update(({ state }) => ({
    spec: options.spec,
    action: options.action,
    policies: options.policies ?? {},
    state,
  }))

function isAsWanted(found: ScheduleDescription, { options }: WantedSchedule): boolean {
  const { action } = options
  return (
    isDeepStrictEqual(plain(actionFacts(found.action)), plain(actionFacts(action))) &&
    isDeepStrictEqual(plain(specFacts(found.spec)), plain(specFacts(options.spec))) &&
    found.policies.overlap === options.policies?.overlap
  )
}

type Action = ScheduleDescription['action'] | WantedSchedule['options']['action']

const actionFacts = (action: Action): unknown[] => [
  action.workflowType,
  action.taskQueue,
  action.args,
  action.workflowExecutionTimeout,
  priorityFacts(action),
  attributesOf(action),
]

/**
 * The SDK sends the priority of an action, though the type of what it takes does not name it.
 * Temporal answers 0 and an empty text where nothing was said.
 */
function priorityFacts(action: Action): unknown[] {
  const { priority } = action as Pick<ScheduleDescription['action'], 'priority'>
  return [priority?.priorityKey ?? 0, priority?.fairnessKey ?? '']
}

/** As we write them, or as Temporal answers. */
function attributesOf({ typedSearchAttributes: found = [] }: Action): string[] {
  const pairs = Array.isArray(found) ? found : found.getAll()
  return pairs.map(({ key, value }) => `${key.name} ${String(value)}`).toSorted()
}

type Spec = ScheduleDescription['spec'] | WantedSchedule['options']['spec']

const specFacts = ({ calendars = [], skip = [], timezone, jitter = 0, intervals = [] }: Spec) => [
  calendars,
  skip,
  timezone,
  jitter,
  intervals,
]

/** As it comes back from Temporal: what is undefined is not there. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null)) as unknown

/** The zone of each store: as configured, as it was kept before, or as the store says now. */
async function findZones(
  { dependencies }: Connected,
  config: Config,
  log: (line: string) => void,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const known = await dependencies.destination.stores.all()
  const zones = new Map<string, string>()
  for (const { id, timeZone } of config.stores) {
    const zone = timeZone ?? known.find(store => store.id === id)?.timeZone
    if (zone !== undefined) {
      zones.set(id, zone)
      continue
    }
    try {
      zones.set(id, (await identifyStore(dependencies, { store: id }, signal)).timeZone)
    } catch (error) {
      if (!(error instanceof TillageError)) throw error
      log(
        `${id}: its time zone is not known (${error.code}); ` +
          'its schedules are in UTC until schedule apply can ask again, ' +
          'or timeZone is in tillage.yaml',
      )
    }
  }
  return zones
}

/** One line for each change, for people. */
export function describeChange({ id, change, details, now }: ScheduleChange): string {
  const changed = details.map(detail => `${detail.what} ${detail.old} -> ${detail.new}`).join(', ')
  const what = change === 'unchanged' ? '' : ` ${change}`
  return `schedule ${id}${what}: ${change === 'changed' ? changed : now}`
}
