import { dayOf } from '../calendar/clock.ts'
import { addDays, fromIso, toIso } from '../calendar/days.ts'
import type { RunKind } from '../connectors/destination/runs.ts'
import { TillageError } from '../errors.ts'
import { businessDay, dayBefore, deadlineOf } from '../schedules/rules/night.ts'
import type { NightRules } from '../schedules/rules/night.ts'
import { durationsOf, estimateMs } from '../schedules/rules/standing.ts'
import type { Dependencies } from './dependencies.ts'
import { orderOf } from './find-order.ts'
import { identifyStore } from './identify-store.ts'

export interface BeginInput {
  kind: RunKind
  store: string
  /** The nominal time, whenever the run really began; ISO. */
  scheduledAt: string
  /** Of nights: the business day where it is not the one before the nominal time. */
  day?: string | undefined
  /** A person's own order, however small: what is due on that day stays due. */
  byHand?: boolean | undefined
}

/**
 * A run as it travels through its workflow. All times are ISO texts in UTC, all days `yyyy-MM-dd`
 * of the store.
 */
export interface Run {
  kind: RunKind
  store: string
  /** The business day of a night; the calendar day of anything else. */
  day: string
  /** The business day's first instant, and the one after its last. */
  dayStart: string
  dayEnd: string
  /** Calendar days that hold it, `to` exclusive: what to ask for to make it proven. */
  from: string
  to: string
  deadline: string | undefined
  /** How long such runs take. */
  estimateMs: number
  byHand?: boolean | undefined
}

/** Days among whose runs are those by which the next one's length is estimated. */
const DAYS_REMEMBERED = 60

/**
 * Chooses the day of a run in the store's zone, and remembers that it has begun: of what is
 * scheduled. A day that was done in time stays so.
 */
export async function beginRun(
  dependencies: Dependencies,
  input: BeginInput,
  signal: AbortSignal,
): Promise<Run> {
  const { destination, now } = dependencies
  const { kind, store, scheduledAt } = input
  const startedAt = toIso(now())
  const timeZone = await zoneOf(dependencies, store, signal).catch(async (error: unknown) => {
    await noteUnbegun(dependencies, { ...input, startedAt }, error)
    throw error
  })
  const rules: NightRules = {
    timeZone,
    ...(kind === 'nightly' ? clocksOf(dependencies, store) : { dayStartsAt: '00:00' }),
  }
  const day = dayOfRun(input, rules)
  const { startMs, endMs } = businessDay(day, rules)
  // A day that somebody asks for later has no deadline: it is long over.
  const deadlineMs = input.day === undefined ? deadlineOf(fromIso(scheduledAt), rules) : undefined
  const deadline = deadlineMs === undefined ? undefined : toIso(deadlineMs)
  const run = { kind, store, day }
  const due = { dueAt: scheduledAt, deadlineAt: deadline, startedAt }
  if (input.byHand !== true) await destination.runs.begin({ ...run, ...due })
  return {
    ...run,
    dayStart: toIso(startMs),
    dayEnd: toIso(endMs),
    from: dayOf(startMs, rules.timeZone),
    to: addDays(dayOf(endMs - 1, rules.timeZone), 1),
    deadline,
    estimateMs: estimateMs(
      durationsOf(await destination.runs.newest(kind, store, DAYS_REMEMBERED)),
    ),
    byHand: input.byHand,
  }
}

/**
 * Of a store that was never read, whose keys are refused, nobody knows where its days begin: that
 * its run has failed is told of the day of UTC. What is tried again is no failure yet.
 */
async function noteUnbegun(
  { destination, now }: Dependencies,
  { startedAt, ...input }: BeginInput & { startedAt: string },
  error: unknown,
): Promise<void> {
  if (input.byHand === true) return
  if (!(error instanceof TillageError) || error.recovery !== 'fatal') return
  const day = dayOfRun(input, { timeZone: 'UTC', dayStartsAt: '00:00' })
  const run = { kind: input.kind, store: input.store, day }
  const due = { dueAt: input.scheduledAt, deadlineAt: undefined, startedAt }
  await destination.runs.begin({ ...run, ...due })
  const detail = `${error.code}: ${error.message}`
  await destination.runs.note(run, { outcome: 'failed', at: toIso(now()), detail })
}

/** Of a night, as they are configured now. */
function clocksOf(
  dependencies: Dependencies,
  store: string,
): { dayStartsAt: string; deadline: string | undefined } {
  const { dayStartsAt, deadline } = orderOf(dependencies, 'nightly', store)
  return { dayStartsAt, deadline }
}

function dayOfRun({ kind, day, scheduledAt }: BeginInput, rules: NightRules): string {
  if (day !== undefined) return day
  const scheduledMs = fromIso(scheduledAt)
  return kind === 'nightly' ? dayBefore(scheduledMs, rules) : dayOf(scheduledMs, rules.timeZone)
}

/** Configured, learned before, or asked for now. */
async function zoneOf(
  dependencies: Dependencies,
  store: string,
  signal: AbortSignal,
): Promise<string> {
  const known = await knownZone(dependencies, store)
  return known ?? (await identifyStore(dependencies, { store }, signal)).timeZone
}

/** The zone of the configuration, else the one that the API said; undefined: it was never asked. */
export const knownZone = async (
  { store: find, destination }: Pick<Dependencies, 'store' | 'destination'>,
  store: string,
): Promise<string | undefined> =>
  find(store).settings.timeZone ?? (await destination.stores.find(store))?.timeZone

export interface RunNote {
  run: Run
  /** Absent: still under way, and this is why it is not done. */
  outcome?: 'done' | 'failed' | undefined
  /** A sentence without records. */
  detail: string
}

/** Remembers how a scheduled run stands, for whoever asks the database. */
export async function noteRun(
  { destination, now }: Dependencies,
  { run: { kind, store, day, byHand }, outcome, detail }: RunNote,
): Promise<void> {
  if (byHand === true) return
  const change = { detail, at: toIso(now()), ...(outcome === undefined ? {} : { outcome }) }
  await destination.runs.note({ kind, store, day }, change)
}
