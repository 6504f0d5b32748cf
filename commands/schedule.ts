import { toIso } from '../calendar/days.ts'
import type { Config } from '../config.ts'
import { UsageError } from '../errors.ts'
import { chooseNames } from '../names.ts'
import { applyRetention } from '../schedules/apply-retention.ts'
import { applySchedules, describeChange } from '../schedules/apply-schedules.ts'
import { describeEarlyNights } from '../schedules/early-nights.ts'
import { undefinedIfMissing } from '../schedules/in-temporal.ts'
import { knownSchedules } from '../schedules/known-schedules.ts'
import type { KnownSchedule } from '../schedules/known-schedules.ts'
import { ALL_OFF, wantsSchedules } from '../schedules/wanted-schedules.ts'
import type { Connected } from '../temporal/session.ts'
import { connect } from '../worker.ts'
import { chooseStores } from './arguments/choices.ts'
import { declareCommand, option } from './command.ts'
import type { AnyCommand, CommandFamily, Context } from './command.ts'
import { backfill } from './schedule/backfill-nights.ts'
import { scheduleList } from './schedule/list.ts'
import { fold } from './terminal/started-as.ts'

export interface ScheduleOptions {
  store?: string
  reason?: string
}

type ScheduleAction = (
  context: Context,
  options: ScheduleOptions,
  names: readonly string[],
) => Promise<number>

/**
 * What is worth a word of the schedules as they are wanted:
 * that there are none, or start too early.
 */
export const printScheduleChanges = (config: Config): string[] =>
  wantsSchedules(config) ? describeEarlyNights(config) : [ALL_OFF]

/** `tillage schedule apply`: makes Temporal equal to tillage.yaml, and says what it changed. */
export async function scheduleApply({ config, terminal, signal }: Context): Promise<number> {
  await using connected = await connect(config, terminal.progress)
  const changes = await applySchedules(connected, config, terminal.log, signal)
  await applyRetention(connected, config, terminal.log)
  terminal.print(
    terminal.json
      ? JSON.stringify({ changes })
      : fold([...changes.map(describeChange), ...printScheduleChanges(config)].join('\n')),
  )
  return 0
}

/**
 * `tillage schedule pause [SCHEDULE...]`: nothing starts until `resume`; what is due meanwhile is
 * told by `status`.
 */
const schedulePause: ScheduleAction = (context, options, names) =>
  eachSchedule(context, 'paused', { ...options, names }, async (connected, { id }) => {
    const note = options.reason ?? 'paused by hand'
    // Where Temporal has lost it, apply makes it anew: paused.
    await undefinedIfMissing(connected.client.schedule.getHandle(id).pause(note))
    await connected.dependencies.destination.schedules.pause(id, toIso(Date.now()), note)
  })

const scheduleResume: ScheduleAction = (context, options, names) =>
  eachSchedule(context, 'resumed', { ...options, names }, async (connected, { id }) => {
    const note = options.reason ?? 'resumed by hand'
    await undefinedIfMissing(connected.client.schedule.getHandle(id).unpause(note))
    await connected.dependencies.destination.schedules.pause(id, undefined, undefined)
  })

/** `tillage schedule trigger SCHEDULE...`: one more start now. A worker has to be up to do it. */
const scheduleTrigger: ScheduleAction = (context, options, names) => {
  if (names.length === 0 && options.store === undefined)
    throw new UsageError(
      'no schedule was named',
      'Name one as schedule list shows it, like nightly/downtown, or a whole store with --store.',
    )
  return eachSchedule(context, 'triggered', { ...options, names }, async ({ client }, { id }) => {
    const trigger = client.schedule.getHandle(id).trigger()
    const isThere = await undefinedIfMissing(trigger.then(() => true))
    if (isThere === undefined) throw notInTemporal(id)
  })
}

const notInTemporal = (id: string): UsageError =>
  new UsageError(
    `Temporal does not have the schedule ${id}; nothing was started`,
    'Its server or its file was replaced. Create the schedules again: tillage schedule apply.',
  )

/** One action on all schedules that were named, or on all there are. */
async function eachSchedule(
  { config, terminal }: Context,
  done: string,
  { names, store }: ScheduleOptions & { names: readonly string[] },
  act: (connected: Connected, schedule: KnownSchedule) => Promise<void>,
): Promise<number> {
  await using connected = await connect(config, terminal.progress)
  const known = await knownSchedules(connected.dependencies.destination.schedules)
  const ids = known.map(({ id }) => id)
  const wanted = names.length === 0 ? ids : chooseNames('schedule', names, ids)
  const stores = store === undefined ? undefined : chooseStores(config, store)
  const chosen = known.filter(
    schedule => wanted.includes(schedule.id) && (stores?.includes(schedule.store) ?? true),
  )
  if (chosen.length === 0) throw nothingChosen(names, store)
  for (const schedule of chosen) await act(connected, schedule)
  terminal.print(
    terminal.json
      ? JSON.stringify({ schedules: chosen.map(({ id }) => ({ id, change: done })) })
      : chosen.map(({ id }) => `schedule ${id} ${done}`).join('\n'),
  )
  return 0
}

const nothingChosen = (names: readonly string[], store: string | undefined): UsageError => {
  const what = names.length === 0 ? 'no schedule is' : `${names.join(', ')} is not`
  const where = store === undefined ? 'here yet' : `of store ${store}`
  return new UsageError(
    `${what} ${where}; nothing was changed`,
    'tillage schedule list shows all of them; tillage schedule apply makes them.',
  )
}

const onSchedules = (run: ScheduleAction): AnyCommand =>
  declareCommand<ScheduleOptions, [readonly string[]]>({
    takes: '[schedules...]',
    options: [option('--reason <text>', 'a note for others')],
    audited: ({ reason }, schedules) => ({ schedules, reason }),
    run,
  })

export const command: CommandFamily = {
  subcommands: [
    {
      name: 'apply',
      does: 'makes the schedules of Temporal match tillage.yaml, and lists the changes',
      command: declareCommand({ storeless: true, audited: () => ({}), run: scheduleApply }),
    },
    {
      name: 'list',
      does: 'lists each schedule, its next time and its newest run',
      command: declareCommand({ run: scheduleList }),
    },
    {
      name: 'backfill',
      does: 'runs the nights of many business days now',
      command: backfill,
    },
    {
      name: 'pause',
      does: 'pauses schedules until resume; default: all',
      command: onSchedules(schedulePause),
    },
    {
      name: 'resume',
      does: 'resumes schedules at their next time; default: all',
      command: onSchedules(scheduleResume),
    },
    {
      name: 'trigger',
      does: 'starts schedules once now; a worker must be running',
      command: onSchedules(scheduleTrigger),
    },
  ],
}
