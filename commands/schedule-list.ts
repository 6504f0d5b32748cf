import type { ScheduleDescription } from '@temporalio/client'
import { toMinute } from '../calendar/days.ts'
import { undefinedIfMissing } from '../schedules/apply-schedules.ts'
import { knownSchedules } from '../schedules/known-schedules.ts'
import type { KnownSchedule } from '../schedules/known-schedules.ts'
import { readDue } from '../schedules/read-due.ts'
import type { DueLine } from '../schedules/read-due.ts'
import type { Frequency } from '../schedules/rules/calendars.ts'
import { describeFacts } from '../schedules/rules/facts.ts'
import type { Connected } from '../temporal/session.ts'
import { connect } from '../worker.ts'
import { chooseStores } from './choices.ts'
import type { Context } from './command.ts'
import { formatTable } from './terminal.ts'
import { askWorker, describeWorker } from './worker-is-up.ts'

type DueStanding = Pick<DueLine, 'day' | 'dueAt' | 'deadlineAt' | 'standing' | 'detail'>

/** A schedule as Temporal holds it, and how the newest of its runs stands. */
interface ListedSchedule {
  id: string
  store: string
  every: Frequency
  at: string
  timeZone: string
  deadline: string | null
  state: 'active' | 'paused' | 'gone'
  note: string | null
  /** The next three times; ISO, UTC. */
  next: string[]
  running: number
  missedCatchUp: number
  standing: DueStanding | null
  overdue: DueStanding[]
  /** In words. */
  what: string
}

/**
 * `tillage schedule list`: what Temporal holds, when it comes next, and how the last of each
 * stands. 3 if something that was due did not happen.
 */
export async function scheduleList(
  { config, terminal }: Context,
  { store }: { store?: string },
): Promise<number> {
  // Asked before this command itself uses the server.
  const worker = await askWorker(config)
  const stores = chooseStores(config, store)
  const connected = await connect(config, terminal.progress)
  try {
    const { destination } = connected.dependencies
    const due = await readDue(destination, Date.now())
    const known = await knownSchedules(destination.schedules)
    const schedules: ListedSchedule[] = []
    for (const schedule of known)
      if (store === undefined || stores.includes(schedule.store))
        schedules.push(await listOne(connected, schedule, due))
    terminal.print(
      terminal.json
        ? JSON.stringify({ workerIsUp: worker.isUp ?? null, schedules })
        : describeSchedules(schedules, describeWorker(worker, config)),
    )
    return schedules.some(({ overdue, state }) => overdue.length > 0 || state === 'gone') ? 3 : 0
  } finally {
    await connected.close()
  }
}

async function listOne(
  { client }: Connected,
  { id, store, facts, note }: KnownSchedule,
  due: readonly DueLine[],
): Promise<ListedSchedule> {
  const found = await undefinedIfMissing(client.schedule.getHandle(id).describe())
  const mine = due.filter(line => line.schedule === id)
  const worst = worstOf(mine)
  const { every, at, timeZone, deadline = null } = facts
  return {
    id,
    store,
    every,
    at,
    timeZone,
    deadline,
    state: stateOf(found),
    note: note === undefined || note === '' ? null : note,
    ...startsOf(found),
    standing: worst === undefined ? null : asStanding(worst),
    overdue: mine.filter(({ overdue }) => overdue).map(asStanding),
    what: describeFacts(facts),
  }
}

/** What Temporal says of its starts; nothing, where it does not have it any more. */
function startsOf(
  found: ScheduleDescription | undefined,
): Pick<ListedSchedule, 'next' | 'running' | 'missedCatchUp'> {
  if (found === undefined) return { next: [], running: 0, missedCatchUp: 0 }
  const { nextActionTimes, runningActions, numActionsMissedCatchupWindow } = found.info
  return {
    next: nextActionTimes.slice(0, 3).map(time => time.toISOString()),
    running: runningActions.length,
    missedCatchUp: numActionsMissedCatchupWindow,
  }
}

function stateOf(found: ScheduleDescription | undefined): ListedSchedule['state'] {
  if (found === undefined) return 'gone'
  return found.state.paused ? 'paused' : 'active'
}

/** What did not happen, else what may not in time, else the newest that was due. */
const worstOf = (lines: readonly DueLine[]): DueLine | undefined =>
  lines.find(({ overdue }) => overdue) ??
  lines.find(({ standing }) => standing === 'at risk') ??
  lines.at(-2) ??
  lines.at(-1)

const asStanding = ({ day, dueAt, deadlineAt, standing, detail }: DueLine): DueStanding => ({
  day,
  dueAt,
  deadlineAt,
  standing,
  detail,
})

function describeSchedules(
  schedules: readonly ListedSchedule[],
  worker: readonly string[],
): string {
  if (schedules.length === 0) return 'no schedules yet: tillage schedule apply'
  const rows = schedules.map(({ id, what, state, next: [next], standing }) => [
    id,
    what,
    state,
    next === undefined ? 'never' : toMinute(next),
    standing === null ? '' : `${standing.day} ${standing.standing}`,
  ])
  const table = formatTable(['schedule', 'when', 'state', 'next (UTC)', 'newest'], rows)
  return [table, ...worker].join('\n\n')
}
