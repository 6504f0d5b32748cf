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
  /** From when on it is open: it was paused, was due, or was begun before that; ISO, UTC. */
  since: string
  detail: string
}

/** Where schedules and their runs are kept. */
export interface KeptSchedules {
  schedules: Schedules
  runs: Runs
}

/** What was missed longer ago than this was noticed already, or never will be. */
export const LOOK_BACK_MS = 14 * DAY_MS
/** More than there are days to look back on. */
const RUNS_READ = 60

/** When it is asked, and what Temporal says then; undefined: nobody knows. */
export interface DueMoment extends OpenAt {
  workerIsUp: boolean | undefined
  /** As `worker --role` names them: nobody has them. */
  missingRoles?: readonly string[] | undefined
}

/** What `judgeDue` says; reads the destination alone. */
export const readDue = async (kept: KeptSchedules, moment: DueMoment): Promise<DueLine[]> =>
  judgeDue(await knownSchedules(kept.schedules), await newestRuns(kept.runs), moment)

/** Of all schedules, the newest days first. */
export const newestRuns = (runs: Runs): Promise<KnownRun[]> => runs.newestOfEach(RUNS_READ)

/**
 * Of each schedule: what did not happen, what is under way, what was due last and what comes next.
 * Pure.
 */
export function judgeDue(
  schedules: readonly KnownSchedule[],
  runs: readonly KnownRun[],
  moment: DueMoment,
): DueLine[] {
  const newest = Map.groupBy(runs, keyOf)
  return schedules.flatMap(schedule => {
    const known = newest.get(keyOf(schedule)) ?? []
    return dueOf(schedule, withEndedRuns(known, moment), moment)
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
  runs: readonly KnownRun[],
  { nowMs, workerIsUp, missingRoles }: DueMoment,
): DueLine[] {
  const { facts, since } = schedule
  const at = {
    nowMs,
    usualMs: estimateMs(durationsOf(runs)),
    noWorker: workerIsUp === false,
    noExports: schedule.kind === 'nightly' && missingRoles?.includes('export') === true,
  }
  const lookBackToMs = nowMs - LOOK_BACK_MS
  const afterMs = Math.max(fromIso(since), lookBackToMs)
  const times = [...dueTimes(facts, afterMs, nowMs), nextDue(facts, nowMs)]
  const due = times.map(dueMs => describeDue(schedule, runs, { dueMs, ...at }))
  const underWay = runs.filter(({ outcome }) => outcome === 'running')
  const told = due.filter(
    // The last two: what was due most recently, and what comes next.
    ({ overdue, day }, index) =>
      overdue || underWay.some(run => run.day === day) || index >= due.length - 2,
  )
  const triggered = underWay.filter(
    run => fromIso(run.dueAt) > lookBackToMs && !due.some(({ day }) => day === run.day),
  )
  return [...triggered.map(run => describeTriggered(schedule, run, at)), ...told]
}

type DueTime = Pick<Due, 'noWorker' | 'noExports'> & { nowMs: number; usualMs: number }

function describeDue(
  schedule: KnownSchedule,
  runs: readonly KnownRun[],
  { dueMs, ...at }: DueTime & Pick<Due, 'dueMs'>,
): DueLine {
  const { kind, facts } = schedule
  const { timeZone, dayStartsAt = '00:00', deadline } = facts
  const rules = { timeZone, dayStartsAt, deadline }
  const day = kind === 'nightly' ? dayBefore(dueMs, rules) : dayOf(dueMs, timeZone)
  const run = runs.find(known => known.day === day)
  const line = describeLine(schedule, { day, run, dueMs, deadlineMs: deadlineOf(dueMs, rules) }, at)
  return { ...line, overdue: line.overdue && !isMadeUpFor({ kind, day }, runs) }
}

/** Of a day that none of the schedule's times stands for: somebody asked for it, at that time. */
function describeTriggered(schedule: KnownSchedule, run: KnownRun, at: DueTime): DueLine {
  const { day, dueAt, deadlineAt } = run
  const deadlineMs = deadlineAt === undefined ? undefined : fromIso(deadlineAt)
  return describeLine(schedule, { day, run, dueMs: fromIso(dueAt), deadlineMs }, at)
}

type DueRun = Pick<Due, 'dueMs' | 'deadlineMs'> & { day: string; run: KnownRun | undefined }

function describeLine(
  { id, store, facts, pausedAt, note }: KnownSchedule,
  { day, run, ...times }: DueRun,
  { nowMs, usualMs, ...workers }: DueTime,
): DueLine {
  const { dueMs, deadlineMs } = times
  const paused = pausedAt !== undefined
  const due = { ...workers, ...times, run: run && runFacts(run), paused }
  const standing = standingOf(due, nowMs, usualMs)
  return {
    schedule: id,
    store,
    timeZone: facts.timeZone,
    day,
    dueAt: toIso(dueMs),
    deadlineAt: deadlineMs === undefined ? null : toIso(deadlineMs),
    standing,
    overdue: isOverdue(standing, due, nowMs),
    since: sinceOf(due, standing === 'paused' ? pausedAt : undefined),
    detail: describe({ ...due, standing }, run?.detail, note),
  }
}

/** A night of a day that is not over may be triggered, and fail, before it is due. */
const sinceOf = ({ dueMs, run }: Due, pausedAt: string | undefined): string =>
  pausedAt ?? toIso(Math.min(dueMs, run?.startedMs ?? dueMs))

/** Of a run that has begun and waits for nothing; the same words each time. */
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

/** A later run was done, and this kind counts once. */
export const isMadeUpFor = (
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
