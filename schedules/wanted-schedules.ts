import { ScheduleOverlapPolicy } from '@temporalio/client'
import type { ScheduleOptions } from '@temporalio/client'
import type { OrderKind, Orders } from '../activities/orders.ts'
import { HOUR_MS, MINUTE_MS } from '../calendar/days.ts'
import type { Config, StoreConfig } from '../config.ts'
import type { RunKind } from '../connectors/destination/runs.ts'
import { scheduleId, scheduledWorkflowId } from '../workflows/ids.ts'
import { startFactsOf } from '../workflows/start-facts.ts'
import { nightOrder, orderFinder, withoutUndefined } from './orders.ts'
import { calendarsFor } from './rules/calendars.ts'
import type { Calendar, Timing } from './rules/calendars.ts'
import type { ScheduleFacts } from './rules/facts.ts'

/** A schedule as tillage.yaml wants it. */
export interface WantedSchedule {
  id: string
  kind: RunKind
  store: string
  facts: ScheduleFacts
  options: ScheduleOptions
}

/** What all schedules of one configuration share. */
interface Frame {
  taskQueue: string
  hasSearchAttributes: boolean
  /** From which on due times are written out. */
  firstYear: number
}

/** Every schedule that tillage.yaml asks for; a zone is the store's own. */
export function wantedSchedules(
  config: Config,
  zones: ReadonlyMap<string, string>,
  { firstYear, ...frame }: Frame,
): WantedSchedule[] {
  const calendars = calendarsOnce(firstYear)
  return wantedRuns(config).map(({ facts, ...rest }) => {
    const timeZone = zones.get(rest.store) ?? 'UTC'
    const run = { ...rest, facts: { ...facts, timeZone } }
    return asSchedule(run, { ...frame, calendars: calendars(run.facts) })
  })
}

/** Whether anything is to run by itself. */
export const wantsSchedules = (config: Config): boolean => wantedRuns(config).length > 0

const wantedRuns = (config: Config): WithoutZone[] =>
  config.stores.flatMap(store => [
    ...wantedNight(config, store),
    ...wantedSlow(config, { kind: 'sweep', store: store.id }, ({ days }) => ({ days })),
    ...wantedSlow(config, { kind: 'check', store: store.id }, ({ windows, records }) => ({
      windows,
      records,
    })),
    ...wantedSlow(config, { kind: 'push', store: store.id }, ({ files }) => ({
      files: files.map(({ catalog, path }) => `${catalog} ${path}`),
    })),
    ...wantedSlow(config, { kind: 'audit', store: store.id }, () => ({})),
    ...wantedSlow(config, { kind: 'upkeep', store: store.id }, ({ retention }) =>
      withoutUndefined(retention),
    ),
    ...wantedSlow(config, { kind: 'backup', store: store.id }, () => ({})),
  ])

/** Ten years of a zone take a seventh of a second, and most stores of a chain share them. */
function calendarsOnce(firstYear: number): (timing: Timing) => Calendar[] {
  const known = new Map<string, Calendar[]>()
  return ({ at, timeZone, every }) => {
    const key = [at, timeZone, every].join()
    const calendars = known.get(key) ?? calendarsFor({ at, timeZone, every }, firstYear)
    known.set(key, calendars)
    return calendars
  }
}

/** For people, where nothing is. */
export const ALL_OFF =
  'nothing runs by itself: every schedule is off. Turn on what you want under schedules: ' +
  'in tillage.yaml; docs/nights.md says what there is'

/** What runs, when, and how long it may take at most. */
interface WantedRun<Facts = ScheduleFacts> {
  kind: RunKind
  store: string
  facts: Facts
  longestMs: number
}
type WithoutZone = WantedRun<Omit<ScheduleFacts, 'timeZone'>>

function wantedNight(config: Config, store: StoreConfig): WithoutZone[] {
  const { nightly } = config.schedules
  if (nightly.every === 'never') return []
  const { books, giveUpAfterMs } = nightOrder(config, store)
  const { datasets, formats, journal } = books
  const { every, at, jitterMinutes, deadline, giveUpAfterHours } = nightly
  const does = { export: datasets, formats, journal, giveUpAfterHours }
  const facts = { every, at, jitterMinutes, deadline, dayStartsAt: store.dayStartsAt, does }
  return [{ kind: 'nightly', store: store.id, facts, longestMs: giveUpAfterMs + 3 * HOUR_MS }]
}

/** Slow runs end before their next start. */
const LONGEST_SLOW_MS = 23 * HOUR_MS

type SlowKind = Exclude<OrderKind, 'nightly'>
type WantedTimes = Partial<Record<SlowKind, Pick<Config['push'], 'every' | 'at' | 'jitterMinutes'>>>

/** Of what is not wanted there is no order. */
function wantedSlow<Kind extends SlowKind>(
  config: Config,
  { kind, store }: { kind: Kind; store: string },
  does: (order: Orders[Kind]) => ScheduleFacts['does'],
): WithoutZone[] {
  const order = orderFinder(config)(kind, store)
  const settings: WantedTimes = {
    ...config.schedules,
    push: config.push,
    ...(config.backup && { backup: config.backup }),
  }
  const times = settings[kind]
  if (order === undefined || times === undefined || times.every === 'never') return []
  const { every, at, jitterMinutes } = times
  const facts = { every, at, jitterMinutes, does: does(order) }
  return [{ kind, store, facts, longestMs: LONGEST_SLOW_MS }]
}

/**
 * Nights wait for one another and none is dropped: after an outage each missed one gets its files.
 * One whose worker is gone for good is ended by the server, or it would hold up all that come after
 * it.
 */
function asSchedule(
  { kind, store, facts, longestMs }: WantedRun,
  {
    taskQueue,
    hasSearchAttributes,
    calendars,
  }: Omit<Frame, 'firstYear'> & { calendars: Calendar[] },
): WantedSchedule {
  const id = scheduleId(kind, store)
  const workflowId = scheduledWorkflowId(kind, store)
  const options: ScheduleOptions = {
    scheduleId: id,
    spec: {
      calendars,
      timezone: 'UTC',
      jitter: facts.jitterMinutes * MINUTE_MS,
    },
    policies: {
      overlap: kind === 'nightly' ? ScheduleOverlapPolicy.BUFFER_ALL : ScheduleOverlapPolicy.SKIP,
      catchupWindow: kind === 'nightly' ? '7 days' : '1 day',
    },
    action: {
      type: 'startWorkflow',
      workflowType: kind,
      workflowId,
      taskQueue,
      // It names a store; what is done there is read from the configuration when it fires.
      args: [{ store }],
      workflowExecutionTimeout: longestMs,
      ...startFactsOf(workflowId, hasSearchAttributes),
    },
  }
  return { id, kind, store, facts, options }
}
