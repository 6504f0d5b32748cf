import type { Kysely } from 'kysely'
import { dayOf } from '../calendar/clock.ts'
import { DAY_MS, fromIso, toIso } from '../calendar/days.ts'
import type { Schema } from '../connectors/sqlite/schema.ts'
import { recallSchedules } from './remember-schedules.ts'
import type { KnownSchedule } from './remember-schedules.ts'
import { dueTimes, nextDue } from './rules/calendars.ts'
import { dayBefore, deadlineOf } from './rules/night.ts'
import { estimateMs, isOverdue, standingOf } from './rules/standing.ts'
import type { Standing } from './rules/standing.ts'

/** One thing that is due, or was: how it stands, and by when it must be ready. */
export interface DueLine {
  schedule: string
  store: string
  /** Business day of a night, calendar day of anything else. */
  day: string
  /** ISO, UTC. */
  dueAt: string
  deadlineAt: string | null
  standing: Standing
  /** Due, and did not happen. */
  overdue: boolean
  detail: string
}

/** What was missed longer ago than this was noticed already, or never will be. */
const LOOK_BACK_MS = 14 * DAY_MS

/**
 * What is due of each schedule, its newest run and the one that comes next. Reads the database
 * alone.
 */
export async function readDue(db: Kysely<Schema>, nowMs: number): Promise<DueLine[]> {
  const lines: DueLine[] = []
  for (const schedule of await recallSchedules(db)) {
    const all = await dueOf(db, schedule, nowMs)
    // The last two: what was due most recently, and what comes next.
    lines.push(...all.filter(({ overdue }, index) => overdue || index >= all.length - 2))
  }
  return lines
}

async function dueOf(
  db: Kysely<Schema>,
  { id, kind, store, facts, sinceMs, paused, note }: KnownSchedule,
  nowMs: number,
): Promise<DueLine[]> {
  const runs = await db
    .selectFrom('runs')
    .selectAll()
    .where('kind', '=', kind)
    .where('store_id', '=', store)
    .orderBy('day', 'desc')
    .limit(60)
    .execute()
  const took = runs
    .filter(run => run.outcome === 'done')
    .map(run => fromIso(run.finished_at!) - fromIso(run.started_at))
  const rules = {
    timeZone: facts.timeZone,
    dayStartsAt: facts.dayStartsAt ?? '00:00',
    deadline: facts.deadline,
  }
  const past = dueTimes(
    facts.at,
    facts.timeZone,
    facts.every,
    Math.max(sinceMs, nowMs - LOOK_BACK_MS),
    nowMs,
  )
  return [...past, nextDue(facts.at, facts.timeZone, facts.every, nowMs)].map(dueMs => {
    const day = kind === 'nightly' ? dayBefore(dueMs, rules) : dayOf(dueMs, rules.timeZone)
    const row = runs.find(run => run.day === day)
    const run =
      row === undefined
        ? undefined
        : {
            startedMs: fromIso(row.started_at),
            finishedMs: row.finished_at === null ? undefined : fromIso(row.finished_at),
            outcome: row.outcome,
          }
    const due = { dueMs, deadlineMs: deadlineOf(dueMs, rules), run, paused }
    const standing = standingOf(due, nowMs, estimateMs(took))
    const detail = [row?.detail ?? '', standing === 'paused' ? (note ?? '') : '']
      .filter(text => text !== '')
      .join('; ')
    return {
      schedule: id,
      store,
      day,
      dueAt: toIso(dueMs),
      deadlineAt: due.deadlineMs === undefined ? null : toIso(due.deadlineMs),
      standing,
      overdue: isOverdue(standing, due, nowMs),
      detail,
    }
  })
}
