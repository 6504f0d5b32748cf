import type { ScheduleDescription } from '@temporalio/client'
import { wallMinute } from '../../calendar/clock.ts'
import { fromIso, toIso } from '../../calendar/days.ts'
import type { Config } from '../../config.ts'
import { isThere, openReadOnly } from '../../connectors/database.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { describeEarlyNights } from '../../schedules/early-nights.ts'
import { findOurs } from '../../schedules/in-temporal.ts'
import { knownSchedules } from '../../schedules/known-schedules.ts'
import type { KnownSchedule } from '../../schedules/known-schedules.ts'
import { judgeDue, newestRuns, readDue } from '../../schedules/read-due.ts'
import type { DueLine, DueMoment, KeptSchedules } from '../../schedules/read-due.ts'
import { nextDue } from '../../schedules/rules/calendars.ts'
import type { Frequency } from '../../schedules/rules/calendars.ts'
import { describeFacts } from '../../schedules/rules/facts.ts'
import { ALL_OFF, wantsSchedules } from '../../schedules/wanted-schedules.ts'
import { inOrder, needsSomebody } from '../../standing/notice.ts'
import type { Notice } from '../../standing/notice.ts'
import { readInstallation } from '../../standing/read-installation.ts'
import { judgeStoreRuns } from '../../standing/read-store.ts'
import { isEmbeddedInUse } from '../../temporal/server/server-folder.ts'
import { connect } from '../../worker.ts'
import { chooseStores } from '../arguments/choices.ts'
import type { Context } from '../command.ts'
import { askWorker, describeProblem } from '../status/worker-is-up.ts'
import type { WorkerStanding } from '../status/worker-is-up.ts'
import { fold } from '../terminal/started-as.ts'
import { formatTable } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'

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

/** How a schedule stands where it is kept, and when it starts next. */
type Standing = Pick<ListedSchedule, 'state' | 'next' | 'running' | 'missedCatchUp'>
type FindStanding = (schedule: KnownSchedule) => Promise<Standing>

/**
 * `tillage schedule list`: what Temporal holds, when it comes next, and how the last of each
 * stands. 3 if something that was due did not happen. An embedded server that is down is not
 * started to be asked: the database knows what it was given last.
 */
export async function scheduleList(
  { config, terminal }: Context,
  { store }: { store?: string },
): Promise<number> {
  // Asked before this command itself uses the server.
  const stores = chooseStores(config, store)
  const { worker, notices } = await askStanding(config, stores)
  const isAsleep = config.temporal === 'embedded' && !isEmbeddedInUse(config.localFiles)
  const list = isAsleep ? listKept : listLive
  const all = await list(config, worker, terminal)
  const schedules = all.filter(one => store === undefined || stores.includes(one.store))
  terminal.print(
    terminal.json
      ? JSON.stringify({ workerIsUp: worker.isUp ?? null, schedules })
      : describeSchedules(config, schedules, [
          ...describeProblem(worker),
          ...notices.map(({ text }) => fold(`  ${text}`)),
        ]),
  )
  return needsSomebody(notices) || schedules.some(({ state }) => state === 'gone') ? 3 : 0
}

/** What is open of the programs and of what was due: `status` tells the same. */
async function askStanding(
  config: Config,
  stores: readonly string[],
): Promise<{ worker: WorkerStanding; notices: Notice[] }> {
  // Without a database there is nothing that a worker could have begun.
  if (!(await isThere(config.database)))
    return { worker: { isUp: undefined, stranded: [] }, notices: [] }
  await using database = await openReadOnly(config, streams)
  const worker = await askWorker(config, database.identity)
  const moment = momentOf(worker)
  const runs = await newestRuns(database.runs)
  const due = judgeDue(await knownSchedules(database.schedules), runs, moment)
  const ofStores = stores.flatMap(store => judgeStoreRuns({ store, due, runs, ...moment }))
  const installation = await readInstallation({ config, database }, worker)
  return { worker, notices: inOrder([...installation, ...ofStores]) }
}

/** By the database alone. */
async function listKept(config: Config, worker: WorkerStanding): Promise<ListedSchedule[]> {
  if (!(await isThere(config.database))) return []
  await using database = await openReadOnly(config, streams)
  return await listAll({ kept: database, worker }, schedule =>
    Promise.resolve(keptStanding(schedule)),
  )
}

/** By Temporal too. */
async function listLive(
  config: Config,
  worker: WorkerStanding,
  { progress }: Terminal,
): Promise<ListedSchedule[]> {
  const { client, dependencies, close } = await connect(config, progress)
  try {
    return await listAll({ kept: dependencies.destination, worker }, async ({ id }) =>
      liveStanding(await findOurs(client.schedule.getHandle(id))),
    )
  } finally {
    await close()
  }
}

const momentOf = ({ isUp, open, missingRoles }: WorkerStanding): DueMoment => ({
  nowMs: Date.now(),
  workerIsUp: isUp,
  missingRoles,
  open,
})

async function listAll(
  { kept, worker }: { kept: KeptSchedules; worker: WorkerStanding },
  find: FindStanding,
): Promise<ListedSchedule[]> {
  const due = await readDue(kept, momentOf(worker))
  const listed: ListedSchedule[] = []
  for (const schedule of await knownSchedules(kept.schedules))
    listed.push(listOne(schedule, await find(schedule), due))
  return listed
}

function listOne(
  { id, store, facts, note }: KnownSchedule,
  kept: Standing,
  due: readonly DueLine[],
): ListedSchedule {
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
    ...kept,
    note: note === undefined || note === '' ? null : note,
    standing: worst === undefined ? null : asStanding(worst),
    overdue: mine.filter(({ overdue }) => overdue).map(asStanding),
    what: describeFacts(facts),
  }
}

const STARTS_SHOWN = 3

/** Nothing of an embedded server runs while it is down. */
function keptStanding({ facts, pausedAt }: KnownSchedule): Standing {
  const next: string[] = []
  for (let ms = Date.now(); next.length < STARTS_SHOWN; next.push(toIso(ms)))
    ms = nextDue(facts, ms)
  return { state: pausedAt === undefined ? 'active' : 'paused', next, running: 0, missedCatchUp: 0 }
}

function liveStanding(found: ScheduleDescription | undefined): Standing {
  if (found === undefined) return { state: 'gone', next: [], running: 0, missedCatchUp: 0 }
  const { nextActionTimes, runningActions, numActionsMissedCatchupWindow } = found.info
  return {
    state: found.state.paused ? 'paused' : 'active',
    next: nextActionTimes.slice(0, STARTS_SHOWN).map(time => time.toISOString()),
    running: runningActions.length,
    missedCatchUp: numActionsMissedCatchupWindow,
  }
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
  config: Config,
  schedules: readonly ListedSchedule[],
  worker: readonly string[],
): string {
  if (schedules.length === 0) {
    const none = wantsSchedules(config) ? 'no schedules yet: tillage schedule apply' : fold(ALL_OFF)
    return [none, ...worker].join('\n\n')
  }
  const rows = schedules.map(({ id, what, state, timeZone, next: [next], standing }) => [
    id,
    what,
    state,
    next === undefined ? 'never' : wallMinute(fromIso(next), timeZone),
    standing === null ? '' : `${standing.day} ${standing.standing}`,
  ])
  const table = formatTable(['schedule', 'when', 'state', 'next', 'newest'], rows)
  const early = describeEarlyNights(config).map(fold)
  return [table, ...early, ...worker].join('\n\n')
}
