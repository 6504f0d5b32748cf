import { dayOf, wallMinute } from '../../calendar/clock.ts'
import { addDays, fromIso, toMinute } from '../../calendar/days.ts'
import { countOf } from '../../commands/terminal/number.ts'
import type { KnownRun } from '../../connectors/destination/runs.ts'
import { html } from '../../documents/html.ts'
import { withEndedRuns } from '../../schedules/ended-runs.ts'
import { knownSchedules } from '../../schedules/known-schedules.ts'
import type { KnownSchedule } from '../../schedules/known-schedules.ts'
import { readDue } from '../../schedules/read-due.ts'
import type { DueLine, DueMoment } from '../../schedules/read-due.ts'
import { waitsForPerson } from '../../standing/judge-runs.ts'
import { actionForms } from '../actions/form.ts'
import type { PagePlace, ShowPage } from '../page.ts'
import { link, pathOf } from '../parts/data-table.ts'
import type { DataTable } from '../parts/data-table.ts'
import { statusCell } from '../parts/status.ts'
import type { Status } from '../parts/status.ts'
import { commandRunPage, commandRunsTable } from './command-run.ts'
import { dueTable } from './today.ts'

/** Of each schedule. */
const RUNS_SHOWN = 5
const MORE_RUNS = 60

/** What ran, what is under way, what is late and why. */
export const showRuns: ShowPage = async (place, { nowMs }) => {
  const { database, worker } = place
  const due = await readDue(database, momentOf(worker, nowMs))
  const schedules = await knownSchedules(database.schedules)
  const runs: ShownRun[] = []
  for (const { id, kind, store } of schedules)
    for (const run of await newestOf(place, { kind, store, limit: RUNS_SHOWN, nowMs }))
      runs.push({ ...run, schedule: id })
  runs.sort((one, other) => (one.startedAt < other.startedAt ? 1 : -1))
  return {
    title: 'Runs',
    sentence: sentenceOf(due, runs, worker),
    timeZone: 'UTC',
    parts: [dueTable(due), runsTable(runs), commandRunsTable(place.commands.all())],
    command: 'tillage schedule list',
  }
}

const momentOf = ({ isUp, open, missingRoles }: PagePlace['worker'], nowMs: number): DueMoment => ({
  nowMs,
  workerIsUp: isUp,
  missingRoles,
  open,
})

type ShownRun = KnownRun & { schedule: string }

function sentenceOf(
  due: readonly DueLine[],
  runs: readonly ShownRun[],
  { isUp, problem }: PagePlace['worker'],
): string {
  const running = runs.filter(({ outcome }) => outcome === 'running')
  if (due.length === 0) return 'No schedule is on, so nothing starts by itself.'
  const missing = problem === undefined ? 'No worker is up' : 'Temporal does not answer'
  const isMissing = isUp === false || problem !== undefined
  const unknown = isUp === undefined ? ' Whether a worker is up is not known yet.' : ''
  const worker = isMissing ? ` ${missing}, so nothing starts by itself.` : unknown
  const now =
    running.length === 0 ? 'nothing is under way' : `${countOf(running.length, 'run')} under way`
  return `${describeDue(due)}; ${now}.${worker}`
}

/** The same that `status` and notices follow. */
function describeDue(due: readonly DueLine[]): string {
  const overdue = due.filter(one => one.overdue)
  if (overdue.length > 0)
    return `${countOf(overdue.length, 'run')} did not happen in time: ${name(overdue)}`
  const late = due.filter(({ standing }) => standing === 'at risk')
  if (late.length > 0) return `${countOf(late.length, 'run')} may be late: ${name(late)}`
  const waiting = due.filter(waitsForPerson)
  return waiting.length === 0
    ? 'Everything that was due has happened'
    : `${countOf(waiting.length, 'run')} cannot end without somebody: ${name(waiting)}`
}

const name = ([one]: readonly DueLine[]): string => `${one!.schedule}, ${one!.day}`

interface Asked {
  kind: KnownRun['kind']
  store: string
  limit: number
  nowMs: number
}

const newestOf = async (
  { database, worker }: PagePlace,
  { kind, store, limit, nowMs }: Asked,
): Promise<KnownRun[]> =>
  withEndedRuns(await database.runs.newest(kind, store, limit), { nowMs, open: worker.open })

const STATUS_OF: Readonly<Record<KnownRun['outcome'], Status>> = {
  running: 'running',
  done: 'done',
  failed: 'failed',
}

const runsTable = (runs: readonly ShownRun[]): DataTable => ({
  id: 'runs',
  title: 'What ran',
  columns: [
    { name: 'schedule' },
    { name: 'day' },
    { name: 'outcome' },
    { name: 'started (UTC)' },
    { name: 'ended (UTC)' },
    { name: 'attempts', kind: 'number' },
    { name: 'what came of it' },
  ],
  rows: runs.map(run => [
    link(pathOf('runs', run.schedule), run.schedule),
    run.day,
    statusCell(STATUS_OF[run.outcome], run.outcome),
    toMinute(run.startedAt),
    run.finishedAt === undefined ? '' : toMinute(run.finishedAt),
    run.attempts,
    run.detail,
  ]),
  empty: 'Nothing that is scheduled has run yet.',
})

/** One schedule with its runs, or one command that was started on a page. */
export const showSchedule: ShowPage = async (place, request) => {
  const { params, nowMs } = request
  const { database, worker } = place
  const started = place.commands.find(params['id'] ?? '')
  if (started !== undefined) return commandRunPage(started, request)
  const schedule = (await knownSchedules(database.schedules)).find(({ id }) => id === params['id'])
  if (schedule === undefined) return undefined
  const { id, kind, store, facts } = schedule
  const due = (await readDue(database, momentOf(worker, nowMs))).filter(one => one.schedule === id)
  const runs = await newestOf(place, { kind, store, limit: MORE_RUNS, nowMs })
  const next = due.find(({ dueAt }) => fromIso(dueAt) > nowMs)
  const yesterday = addDays(dayOf(nowMs, facts.timeZone), -1)
  const lastDay = { from: yesterday, to: yesterday }
  return {
    title: id,
    sentence: scheduleSentence(schedule, runs[0], next),
    timeZone: facts.timeZone,
    parts: [
      dueTable(due),
      runsTable(runs.map(run => ({ ...run, schedule: id }))),
      actionForms(request, [
        ['trigger-schedule', { schedule: id }],
        ...(kind === 'nightly' ? [['backfill-nights', { store, ...lastDay }] as const] : []),
        schedule.pausedAt === undefined
          ? ['pause-schedule', { schedule: id }]
          : ['resume-schedule', { schedule: id }],
      ]),
      html`<p class="below"><a href="/runs">All runs</a></p>`,
    ],
    command: `tillage schedule list --store ${store}`,
  }
}

const OUTCOMES: Readonly<Record<KnownRun['outcome'], string>> = {
  running: 'under way',
  done: 'done',
  failed: 'given up',
}

function scheduleSentence(
  { facts, pausedAt, note }: KnownSchedule,
  last: KnownRun | undefined,
  next: DueLine | undefined,
): string {
  const ran =
    last === undefined
      ? 'It has not run yet'
      : `Its run of ${last.day} is ${OUTCOMES[last.outcome]}`
  if (pausedAt !== undefined)
    return `${ran}; it is paused since ${toMinute(pausedAt)} UTC${note === undefined ? '' : `: ${note}`}.`
  if (next === undefined) return `${ran}.`
  return `${ran}; the next is due ${wallMinute(fromIso(next.dueAt), facts.timeZone)}.`
}
