import { ScheduleOverlapPolicy } from '@temporalio/client'
import type { ScheduleOptions } from '@temporalio/client'
import { bookedStream } from '../books/order-journal.ts'
import { HOUR_MS, MINUTE_MS } from '../calendar/days.ts'
import type { Config, StoreConfig } from '../config.ts'
import type { RunKind } from '../connectors/destination/runs.ts'
import { dailyStreams, streams } from '../connectors/partner/streams/index.ts'
import type { Stream } from '../connectors/stream.ts'
import { datasetsOf } from '../exports/datasets.ts'
import { JOURNAL_FORMATS } from '../exports/journal/settings.ts'
import { nightlyFormats } from '../exports/journal/store-settings.ts'
import { FILE_FORMATS } from '../exports/revisions/manifest.ts'
import type { AuditInput } from '../workflows/audit.ts'
import type { CheckInput } from '../workflows/check.ts'
import { scheduleId, scheduledWorkflowId } from '../workflows/ids.ts'
import type { NightlyInput } from '../workflows/nightly.ts'
import type { PushFilesInput } from '../workflows/push.ts'
import type { SweepInput } from '../workflows/sweep.ts'
import type { UpkeepInput } from '../workflows/upkeep.ts'
import { calendarsFor } from './rules/calendars.ts'
import type { ScheduleFacts } from './rules/facts.ts'

/** A schedule as tillage.yaml wants it. */
export interface WantedSchedule {
  id: string
  kind: RunKind
  store: string
  facts: ScheduleFacts
  options: ScheduleOptions
}

/** Each once, whatever the order in the file: schedules are compared with what Temporal has. */
const inOrder = <Name>(all: readonly Name[], named: readonly Name[]): Name[] =>
  all.filter(name => named.includes(name))

const namesOf = (some: readonly Stream[]): string[] => some.map(({ name }) => name)
const daily = namesOf(dailyStreams)

/** What a night of a store does; a backfill does the same for days that are long over. */
export function nightlyInput(config: Config, store: StoreConfig): NightlyInput {
  const { nightly } = config.schedules
  const books = {
    datasets: nightly.export,
    formats: nightly.export.length === 0 ? [] : inOrder(FILE_FORMATS, nightly.formats),
    journal: inOrder(JOURNAL_FORMATS, nightlyFormats(config.accounting, store.id, nightly.journal)),
  }
  const needed = [
    ...datasetsOf(streams)
      .filter(({ name }) => books.datasets.includes(name))
      .map(({ stream }) => stream),
    ...(books.journal.length === 0 ? [] : [bookedStream().name]),
  ]
  const everyApiHas = dailyStreams.filter(({ optional }) => optional !== true)
  return {
    store: store.id,
    // What takes a request for each record of another is read where somebody wants its files.
    streams: [...new Set([...daily, ...needed])],
    needed: [...new Set(needed.length > 0 ? needed : namesOf(everyApiHas))],
    dayStartsAt: store.dayStartsAt,
    deadline: nightly.deadline,
    books,
    giveUpAfterMs: nightly.giveUpAfterHours * HOUR_MS,
  }
}

/** What all schedules of one configuration share. */
interface Frame {
  taskQueue: string
  /** The first year in which days with clock changes are named. */
  firstYear: number
}

/** Every schedule that tillage.yaml asks for; a zone is the store's own. */
export function wantedSchedules(
  config: Config,
  zones: ReadonlyMap<string, string>,
  frame: Frame,
): WantedSchedule[] {
  return config.stores.flatMap(store => {
    const night = nightlyInput(config, store)
    const timeZone = zones.get(store.id) ?? 'UTC'
    return [
      ...wantedNight(config, store, night),
      ...wantedSweep(config, store),
      ...wantedCheck(config, store),
      ...wantedPush(config, store),
      ...wantedAudit(config, store),
      ...wantedUpkeep(config, store),
    ].map(({ facts, ...rest }) => asSchedule({ ...rest, facts: { ...facts, timeZone } }, frame))
  })
}

/** Whether anything is to run by itself. */
export const wantsSchedules = (config: Config): boolean =>
  wantedSchedules(config, new Map(), { taskQueue: '', firstYear: 1970 }).length > 0

/** For people, where nothing is. */
export const ALL_OFF =
  'nothing runs by itself: every schedule is off. Turn on what you want under schedules: ' +
  'in tillage.yaml; docs/nights.md says what there is'

/** What runs, when, with what input, and how long it may take at most. */
interface WantedRun<Facts = ScheduleFacts> {
  kind: RunKind
  store: string
  facts: Facts
  input: object
  longestMs: number
}
type WithoutZone = WantedRun<Omit<ScheduleFacts, 'timeZone'>>

function wantedNight(
  { schedules: { nightly } }: Config,
  { id, dayStartsAt }: StoreConfig,
  night: NightlyInput,
): WithoutZone[] {
  if (nightly.every === 'never') return []
  const { datasets, formats, journal } = night.books
  const facts = {
    every: nightly.every,
    at: nightly.at,
    jitterMinutes: nightly.jitterMinutes,
    deadline: nightly.deadline,
    dayStartsAt,
    does: { export: datasets, formats, journal, giveUpAfterHours: nightly.giveUpAfterHours },
  }
  const longestMs = night.giveUpAfterMs + 3 * HOUR_MS
  return [{ kind: 'nightly', store: id, facts, input: night, longestMs }]
}

/** Slow runs end before their next start. */
const LONGEST_SLOW_MS = 23 * HOUR_MS

function wantedSweep({ schedules: { sweep } }: Config, { id: store }: StoreConfig): WithoutZone[] {
  const { every, at, jitterMinutes, days } = sweep
  if (every === 'never') return []
  const input = { store, streams: daily, days } satisfies SweepInput
  const facts = { every, at, jitterMinutes, does: { days } }
  return [{ kind: 'sweep', store, facts, input, longestMs: LONGEST_SLOW_MS }]
}

function wantedCheck({ schedules: { check } }: Config, { id: store }: StoreConfig): WithoutZone[] {
  const { every, at, jitterMinutes, windows, records } = check
  if (every === 'never') return []
  const input = { store, streams: daily, windows, records, heal: true } satisfies CheckInput
  const facts = { every, at, jitterMinutes, does: { windows, records } }
  return [{ kind: 'check', store, facts, input, longestMs: LONGEST_SLOW_MS }]
}

/** The catalog files of a store; none, no schedule. */
function wantedPush({ push }: Config, { id }: StoreConfig): WithoutZone[] {
  const files = push.files
    .filter(({ stores }) => stores === undefined || stores.includes(id))
    .map(({ catalog, path, create }) => ({ catalog, path, create }))
  if (push.every === 'never' || files.length === 0) return []
  const input: PushFilesInput = { store: id, files }
  const does = { files: files.map(({ catalog, path }) => `${catalog} ${path}`) }
  const { every, at, jitterMinutes } = push
  const facts = { every, at, jitterMinutes, does }
  return [{ kind: 'push', store: id, facts, input, longestMs: LONGEST_SLOW_MS }]
}

/** Where nobody may approve a reconciliation, nobody has asked for audits. */
function wantedAudit({ schedules, reconcile }: Config, { id }: StoreConfig): WithoutZone[] {
  const { every, at, jitterMinutes } = schedules.audit
  if (every === 'never' || reconcile.approvers.length === 0) return []
  const facts = { every, at, jitterMinutes, does: {} }
  const input: AuditInput = { store: id }
  return [{ kind: 'audit', store: id, facts, input, longestMs: LONGEST_SLOW_MS }]
}

/** What Temporal keeps, it removes by itself. */
function wantedUpkeep({ schedules, retention }: Config, { id }: StoreConfig): WithoutZone[] {
  const { every, at, jitterMinutes } = schedules.upkeep
  const { temporalDays: _, ...tables } = retention
  const does = withoutUndefined(tables)
  if (every === 'never' || Object.keys(does).length === 0) return []
  const facts = { every, at, jitterMinutes, does }
  const input: UpkeepInput = { store: id, retention: does }
  return [{ kind: 'upkeep', store: id, facts, input, longestMs: LONGEST_SLOW_MS }]
}

const withoutUndefined = (
  days: Readonly<Record<string, number | undefined>>,
): Record<string, number> =>
  Object.fromEntries(
    Object.entries(days).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )

/**
 * Nights wait for one another and none is dropped: after an outage each missed one gets its files.
 * One whose worker is gone for good is ended by the server, or it would hold up all that come after
 * it.
 */
function asSchedule(
  { kind, store, facts, input, longestMs }: WantedRun,
  { taskQueue, firstYear }: Frame,
): WantedSchedule {
  const id = scheduleId(kind, store)
  const { calendars, skip } = calendarsFor(facts.at, facts.timeZone, facts.every, firstYear)
  const options: ScheduleOptions = {
    scheduleId: id,
    spec: {
      calendars,
      ...(skip.length === 0 ? {} : { skip }),
      timezone: facts.timeZone,
      jitter: facts.jitterMinutes * MINUTE_MS,
    },
    policies: {
      overlap: kind === 'nightly' ? ScheduleOverlapPolicy.BUFFER_ALL : ScheduleOverlapPolicy.SKIP,
      catchupWindow: kind === 'nightly' ? '7 days' : '1 day',
    },
    action: {
      type: 'startWorkflow',
      workflowType: kind,
      workflowId: scheduledWorkflowId(kind, store),
      taskQueue,
      args: [input],
      workflowExecutionTimeout: longestMs,
    },
  }
  return { id, kind, store, facts, options }
}
