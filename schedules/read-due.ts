import { dayOf } from '../calendar/clock.ts'
import { DAY_MS, fromIso, toIso } from '../calendar/days.ts'
import type { KnownRun, Runs } from '../connectors/destination/runs.ts'
import type { Schedules } from '../connectors/destination/schedules.ts'
import { withEndedRuns } from './ended-runs.ts'
import type { OpenAt } from './ended-runs.ts'
import { knownSchedules } from './known-schedules.ts'
import type { KnownSchedule } from './known-schedules.ts'
import { dueTimes, nextDue } from './rules/calendars.ts'
import { dayBefore, deadlineOf } from './rules/night.ts'
import { durationsOf, estimateMs, isOverdue, standingOf } from './rules/standing.ts'
import type { Due, Standing } from './rules/standing.ts'

/** One thing that is due, or was: how it stands, and by when it must be ready. */
export interface DueLine {
  schedule: string
  store: string
  /** The zone of the store's clocks. */
  timeZone: string
  /** Business day of a night, calendar day of anything else. */
  day: string
  /** ISO, UTC. */
  dueAt: string
  deadlineAt: string | null
  standing: Standing
  /** Due, and did not happen. */
  overdue: boolean
  /** Where it is paused: since when. */
  pausedAt?: string
  detail: string
}

/** Where schedules and their runs are kept. */
export interface KeptSchedules {
  schedules: Schedules
  runs: Runs
}

/** What was missed longer ago than this was noticed already, or never will be. */
const LOOK_BACK_MS = 14 * DAY_MS
/** More than there are days to look back on. */
const RUNS_READ = 60

/** When it is asked, and what Temporal says then; undefined: nobody knows. */
export interface DueMoment extends OpenAt {
  workerIsUp: boolean | undefined
  /** As `worker --role` names them: nobody has them. */
  missingRoles?: readonly string[] | undefined
}

/**
 * What is due of each schedule, its newest run and the one that comes next. Reads the destination
 * alone.
 */
export async function readDue(kept: KeptSchedules, moment: DueMoment): Promise<DueLine[]> {
  const schedules = await knownSchedules(kept.schedules)
  const newest = Map.groupBy(await kept.runs.newestOfEach(RUNS_READ), keyOf)
  return schedules.flatMap(schedule => {
    const all = dueOf(schedule, newest.get(keyOf(schedule)) ?? [], moment)
    // The last two: what was due most recently, and what comes next.
    return all.filter(({ overdue }, index) => overdue || index >= all.length - 2)
  })
}

/** What did not happen in time, then what is due next, then what was: each by when it was due. */
export const dueFirst = (one: DueLine, other: DueLine): number =>
  rankOf(one) - rankOf(other) || fromIso(one.dueAt) - fromIso(other.dueAt)

function rankOf({ overdue, standing }: DueLine): number {
  if (overdue) return 0
  return standing === 'done' || standing === 'done late' ? 2 : 1
}

const keyOf = ({ kind, store }: Pick<KnownSchedule, 'kind' | 'store'>): string => `${kind} ${store}`

function dueOf(
  schedule: KnownSchedule,
  known: readonly KnownRun[],
  { nowMs, workerIsUp, missingRoles, open }: DueMoment,
): DueLine[] {
  const runs = withEndedRuns(known, { nowMs, open })
  const { facts, since } = schedule
  const noWorker = workerIsUp === false
  const noExports = schedule.kind === 'nightly' && missingRoles?.includes('export') === true
  const usualMs = estimateMs(durationsOf(runs))
  const afterMs = Math.max(fromIso(since), nowMs - LOOK_BACK_MS)
  const times = [...dueTimes(facts, afterMs, nowMs), nextDue(facts, nowMs)]
  const at = { nowMs, usualMs, noWorker, noExports }
  return times.map(dueMs => describeDue(schedule, runs, { dueMs, ...at }))
}

interface DueTime extends Pick<Due, 'dueMs' | 'noWorker' | 'noExports'> {
  nowMs: number
  usualMs: number
}

function describeDue(
  { id, kind, store, facts, pausedAt, note }: KnownSchedule,
  runs: readonly KnownRun[],
  { nowMs, usualMs, ...at }: DueTime,
): DueLine {
  const { dueMs } = at
  const { timeZone, dayStartsAt = '00:00', deadline } = facts
  const rules = { timeZone, dayStartsAt, deadline }
  const day = kind === 'nightly' ? dayBefore(dueMs, rules) : dayOf(dueMs, timeZone)
  const run = runs.find(known => known.day === day)
  const deadlineMs = deadlineOf(dueMs, rules)
  const paused = pausedAt !== undefined
  const due = { ...at, deadlineMs, run: run && runFacts(run), paused }
  const standing = standingOf(due, nowMs, usualMs)
  return {
    schedule: id,
    store,
    timeZone,
    day,
    dueAt: toIso(dueMs),
    deadlineAt: deadlineMs === undefined ? null : toIso(deadlineMs),
    standing,
    overdue: isOverdue(standing, due, nowMs) && !isMadeUpFor({ kind, day }, runs),
    ...(standing === 'paused' && paused ? { pausedAt } : {}),
    detail: describe({ ...due, standing }, run?.detail, note),
  }
}

/** Of a run that has begun and waits for nothing; the same words at every look. */
const AT_RISK = 'less time is left until its deadline than such a night may still take'

function describe(
  { standing, noExports }: Pick<Due, 'noExports'> & { standing: Standing },
  detail: string | undefined,
  note: string | undefined,
): string {
  const isAtRisk = standing === 'at risk' && detail !== undefined
  const details = [
    isAtRisk && detail === '' && noExports !== true ? AT_RISK : detail,
    isAtRisk && noExports === true ? NO_EXPORTS : undefined,
    standing === 'paused' ? note : undefined,
  ]
  return details.filter(text => text !== undefined && text !== '').join('; ')
}

const NO_EXPORTS = 'no worker has the role export, so its files are not written'

/** Of these a later run does whatever an earlier one would have done. */
const COUNTS_ONCE: readonly KnownRun['kind'][] = ['backup', 'upkeep']

const isMadeUpFor = (
  { kind, day }: Pick<KnownRun, 'kind' | 'day'>,
  runs: readonly KnownRun[],
): boolean =>
  COUNTS_ONCE.includes(kind) && runs.some(run => run.outcome === 'done' && run.day > day)

const runFacts = ({
  startedAt,
  finishedAt,
  outcome,
  detail,
}: KnownRun): NonNullable<Due['run']> => ({
  startedMs: fromIso(startedAt),
  finishedMs: finishedAt === undefined ? undefined : fromIso(finishedAt),
  outcome,
  waits: detail !== '',
})
