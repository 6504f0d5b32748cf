import { toMinute } from '../calendar/days.ts'
import type { Config } from '../config.ts'
import { UsageError } from '../errors.ts'
import { chooseNames } from '../names.ts'
import { applySchedules, describeChange, unlessGone } from '../schedules/apply-schedules.ts'
import { readDue } from '../schedules/read-due.ts'
import type { DueLine } from '../schedules/read-due.ts'
import { recallSchedules, rememberPaused } from '../schedules/remember-schedules.ts'
import type { KnownSchedule } from '../schedules/remember-schedules.ts'
import { describeFacts } from '../schedules/rules/facts.ts'
import type { Connected } from '../temporal/session.ts'
import { connect } from '../worker.ts'
import { backfill } from './backfill-nights.ts'
import { chooseStores } from './choices.ts'
import { declareCommand, option } from './command.ts'
import type { AnyCommand, CommandFamily, Context } from './command.ts'
import { formatTable } from './terminal.ts'
import type { Terminal } from './terminal.ts'

export interface ScheduleOptions {
  store?: string
  reason?: string
}

type ScheduleAction = (
  context: Context,
  options: ScheduleOptions,
  names: readonly string[],
) => Promise<number>

/** `tillage schedule apply`: makes Temporal equal to tillage.yaml, and says what it changed. */
export async function scheduleApply({ config, terminal, signal }: Context): Promise<number> {
  return withServer(config, terminal, async connected => {
    const changes = await applySchedules(connected, config, terminal.log, signal)
    terminal.print(
      terminal.json ? JSON.stringify({ changes }) : changes.map(describeChange).join('\n'),
    )
    return 0
  })
}

/**
 * `tillage schedule list`: what Temporal holds, when it comes next, and how the last of each
 * stands. 3 if something that was due did not happen.
 */
export async function scheduleList(
  { config, terminal }: Context,
  options: ScheduleOptions,
): Promise<number> {
  return withServer(config, terminal, async connected => {
    const { db } = connected.dependencies.destination
    const due = await readDue(db, Date.now())
    const stores = chooseStores(config, options.store)
    const lines = []
    for (const { id, store, facts, note } of (await recallSchedules(db)).filter(
      schedule => options.store === undefined || stores.includes(schedule.store),
    )) {
      const found = await unlessGone(connected.client.schedule.getHandle(id).describe())
      const mine = due.filter(line => line.schedule === id)
      const newest = mine.at(-2) ?? mine.at(-1)
      const worst =
        mine.find(({ overdue }) => overdue) ??
        mine.find(({ standing }) => standing === 'at risk') ??
        newest
      lines.push({
        id,
        store,
        every: facts.every,
        at: facts.at,
        timeZone: facts.timeZone,
        deadline: facts.deadline ?? null,
        state: found === undefined ? 'gone' : found.state.paused ? 'paused' : 'active',
        note: note === undefined || note === '' ? null : note,
        next: found?.info.nextActionTimes.slice(0, 3).map(time => time.toISOString()) ?? [],
        running: found?.info.runningActions.length ?? 0,
        missedCatchUp: found?.info.numActionsMissedCatchupWindow ?? 0,
        standing: worst === undefined ? null : asStanding(worst),
        overdue: mine.filter(({ overdue }) => overdue).map(asStanding),
        what: describeFacts(facts),
      })
    }
    const rows = lines.map(line => [
      line.id,
      line.what,
      line.state,
      shorten(line.next[0] ?? null),
      line.standing === null ? '' : `${line.standing.day} ${line.standing.standing}`,
    ])
    terminal.print(
      terminal.json
        ? JSON.stringify({ schedules: lines })
        : lines.length === 0
          ? 'no schedules yet: tillage schedule apply'
          : formatTable(['schedule', 'when', 'state', 'next (UTC)', 'newest'], rows),
    )
    return lines.some(({ overdue, state }) => overdue.length > 0 || state === 'gone') ? 3 : 0
  })
}

const asStanding = ({
  day,
  dueAt,
  deadlineAt,
  standing,
  detail,
}: DueLine): Pick<DueLine, 'day' | 'dueAt' | 'deadlineAt' | 'standing' | 'detail'> => ({
  day,
  dueAt,
  deadlineAt,
  standing,
  detail,
})
const shorten = (iso: string | null): string => (iso === null ? 'never' : toMinute(iso))

/**
 * `tillage schedule pause [SCHEDULE...]`: nothing starts until `resume`; what is due meanwhile is
 * told by `status`.
 */
const schedulePause: ScheduleAction = (context, options, names) =>
  eachSchedule(context, 'paused', { ...options, names }, async (connected, { id }) => {
    const note = options.reason ?? 'paused by hand'
    await connected.client.schedule.getHandle(id).pause(note)
    await rememberPaused(connected.dependencies.destination, id, Date.now(), note)
  })

const scheduleResume: ScheduleAction = (context, options, names) =>
  eachSchedule(context, 'resumed', { ...options, names }, async (connected, { id }) => {
    await connected.client.schedule.getHandle(id).unpause(options.reason ?? 'resumed by hand')
    await rememberPaused(connected.dependencies.destination, id, undefined, undefined)
  })

/** `tillage schedule trigger SCHEDULE...`: one more start now. A worker has to be up to do it. */
const scheduleTrigger: ScheduleAction = (context, options, names) => {
  if (names.length === 0 && options.store === undefined)
    throw new UsageError(
      'no schedule was named',
      'Name one as schedule list shows it, like nightly/downtown, or a whole store with --store.',
    )
  return eachSchedule(context, 'triggered', { ...options, names }, ({ client }, { id }) =>
    client.schedule.getHandle(id).trigger(),
  )
}

/** One action on all schedules that were named, or on all there are. */
function eachSchedule(
  { config, terminal }: Context,
  done: string,
  { names, store }: ScheduleOptions & { names: readonly string[] },
  act: (connected: Connected, schedule: KnownSchedule) => Promise<void>,
): Promise<number> {
  return withServer(config, terminal, async connected => {
    const known = await recallSchedules(connected.dependencies.destination.db)
    chooseNames(
      'schedule',
      names,
      known.map(({ id }) => id),
    )
    const stores = chooseStores(config, store)
    const chosen = known.filter(
      schedule =>
        (names.length === 0 || names.includes(schedule.id)) &&
        (store === undefined || stores.includes(schedule.store)),
    )
    for (const schedule of chosen) await act(connected, schedule)
    terminal.print(
      terminal.json
        ? JSON.stringify({ schedules: chosen.map(({ id }) => ({ id, change: done })) })
        : chosen.map(({ id }) => `schedule ${id} ${done}`).join('\n'),
    )
    return 0
  })
}

async function withServer(
  config: Config,
  terminal: Terminal,
  act: (connected: Connected) => Promise<number>,
): Promise<number> {
  const connected = await connect(config, terminal.progress)
  try {
    return await act(connected)
  } finally {
    await connected.close()
  }
}

const onSchedules = (run: ScheduleAction): AnyCommand =>
  declareCommand<{ reason?: string }, [readonly string[]]>({
    takes: '[schedules...]',
    options: [option('--reason <text>', 'a note for whoever looks')],
    audited: ({ reason }, schedules) => ({ schedules, reason }),
    run,
  })

export const command: CommandFamily = {
  subcommands: [
    {
      name: 'apply',
      does: 'makes the schedules of Temporal equal to tillage.yaml, and says what it changed',
      command: declareCommand({ storeless: true, audited: () => ({}), run: scheduleApply }),
    },
    {
      name: 'list',
      does: 'each schedule, when it comes next, and how its newest run stands',
      command: declareCommand({ run: scheduleList }),
    },
    {
      name: 'backfill',
      does: 'the nights of many business days, now',
      command: backfill,
    },
    {
      name: 'pause',
      does: 'nothing starts until resume; none named = all',
      command: onSchedules(schedulePause),
    },
    {
      name: 'resume',
      does: 'starts again at the next time; none named = all',
      command: onSchedules(scheduleResume),
    },
    {
      name: 'trigger',
      does: 'one more start now, by the worker that is up',
      command: onSchedules(scheduleTrigger),
    },
  ],
}
