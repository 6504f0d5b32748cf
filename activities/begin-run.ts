import { dayOf } from '../calendar/clock.ts'
import { addDays, fromIso, toIso } from '../calendar/days.ts'
import type { RunKind } from '../connectors/sqlite/schedule-tables.ts'
import { businessDay, dayBefore, deadlineOf } from '../schedules/rules/night.ts'
import { estimateMs } from '../schedules/rules/standing.ts'
import type { Dependencies } from './dependencies.ts'
import { identifyStore } from './identify-store.ts'

export interface BeginInput {
  kind: RunKind
  store: string
  /** The nominal time, whenever the run really began; ISO. */
  scheduledAt: string
  /**
   * Of nights: the cut-off, the deadline, and the business day where it is not the one before the
   * nominal time.
   */
  dayStartsAt?: string | undefined
  deadline?: string | undefined
  day?: string | undefined
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
}

/**
 * Chooses the day of a run in the store's zone, and remembers that it has begun. A day that was
 * done in time stays so.
 */
export async function beginRun(
  dependencies: Dependencies,
  input: BeginInput,
  signal: AbortSignal,
): Promise<Run> {
  const { destination, now } = dependencies
  const { kind, store, scheduledAt } = input
  const rules = {
    timeZone: await zoneOf(dependencies, store, signal),
    dayStartsAt: input.dayStartsAt ?? '00:00',
    deadline: input.deadline,
  }
  const scheduledMs = fromIso(scheduledAt)
  const day =
    input.day ??
    (kind === 'nightly' ? dayBefore(scheduledMs, rules) : dayOf(scheduledMs, rules.timeZone))
  const { startMs, endMs } = businessDay(day, rules)
  // A day that somebody asks for later has no deadline: it is long over.
  const deadlineMs = input.day === undefined ? deadlineOf(scheduledMs, rules) : undefined
  const deadline = deadlineMs === undefined ? undefined : toIso(deadlineMs)
  const { db } = destination
  const begun = {
    started_at: toIso(now()),
    finished_at: null,
    outcome: 'running' as const,
    detail: '',
  }
  await destination.execute(
    db
      .insertInto('runs')
      .values({
        kind,
        store_id: store,
        day,
        due_at: scheduledAt,
        deadline_at: deadline ?? null,
        attempts: 1,
        ...begun,
      })
      .onConflict(conflict =>
        conflict
          .columns(['kind', 'store_id', 'day'])
          .doUpdateSet(({ eb }) => ({ ...begun, attempts: eb('runs.attempts', '+', 1) }))
          .where('runs.outcome', '<>', 'done'),
      )
      .compile(),
  )
  const past = await db
    .selectFrom('runs')
    .select(['started_at', 'finished_at'])
    .where('kind', '=', kind)
    .where('store_id', '=', store)
    .where('outcome', '=', 'done')
    .orderBy('finished_at', 'desc')
    .limit(7)
    .execute()
  const took = past.map(row => fromIso(row.finished_at!) - fromIso(row.started_at))
  return {
    kind,
    store,
    day,
    dayStart: toIso(startMs),
    dayEnd: toIso(endMs),
    from: dayOf(startMs, rules.timeZone),
    to: addDays(dayOf(endMs - 1, rules.timeZone), 1),
    deadline,
    estimateMs: estimateMs(took),
  }
}

/** Configured, told before, or told now. */
async function zoneOf(
  dependencies: Dependencies,
  store: string,
  signal: AbortSignal,
): Promise<string> {
  const { db } = dependencies.destination
  const known =
    dependencies.store(store).settings.timeZone ??
    (
      await db
        .selectFrom('stores')
        .select('time_zone')
        .where('store_id', '=', store)
        .executeTakeFirst()
    )?.time_zone
  return known ?? (await identifyStore(dependencies, { store }, signal)).timeZone
}

export interface RunNote {
  run: Run
  /** Absent: still at it, and this is why it is not done. */
  outcome?: 'done' | 'failed' | undefined
  /** A sentence without records. */
  detail: string
}

/** Remembers how a run stands, for whoever asks the database. */
export async function noteRun(
  { destination, now }: Dependencies,
  { run: { kind, store, day }, outcome, detail }: RunNote,
): Promise<void> {
  const change = outcome === undefined ? { detail } : { detail, outcome, finished_at: toIso(now()) }
  await destination.execute(
    destination.db
      .updateTable('runs')
      .set(change)
      .where('kind', '=', kind)
      .where('store_id', '=', store)
      .where('day', '=', day)
      .where('outcome', '<>', 'done')
      .compile(),
  )
}
