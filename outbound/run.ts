import { randomBytes } from 'node:crypto'
import { toIso, toMinute } from '../calendar/days.ts'
import type {
  OperationState,
  OutboundRun,
  OutboundStore,
  RunOutcome,
} from '../connectors/destination/outbound.ts'
import { PlanError, TillageError } from '../errors.ts'
import { UNFINISHED } from './operation-states.ts'

/** A process as it is known to others, and what it can say of them. */
export interface Runner {
  user: string
  host: string
  pid: number
  startedAt?: string | undefined
  /** Whether exactly this process of the same machine still runs. */
  isRunning(process: { pid: number; startedAt?: string }): boolean
}

/** Where runs are written down, and by whom. */
export interface RunPlace {
  store: Pick<OutboundStore, 'runs' | 'beginRun' | 'renewRun' | 'endRun'>
  runner: Runner
  now(): number
}

/** A process of another machine counts as gone when it has not renewed its run for so long. */
const LEASE_MS = 10_000
const RENEW_MS = 2_000
/** Clocks of two machines may differ by so much. */
const LONGEST_SKEW_MS = 5 * 60_000
/** A process of this machine that has not renewed its run for so long has ended it unheard. */
const LONGEST_SILENCE_MS = 60_000

/** Whether the process of a run still carries it out, as far as this one can tell. */
export function isAlive(run: OutboundRun, runner: Runner, nowMs: number): boolean {
  if (run.endedAt !== null) return false
  const { pid, processStartedAt: startedAt } = run
  const leftMs = Date.parse(run.aliveUntil) - nowMs
  if (run.host === runner.host) {
    const isRunning = runner.isRunning(startedAt === null ? { pid } : { pid, startedAt })
    return isRunning && leftMs > -LONGEST_SILENCE_MS
  }
  // A lease that is longer than any is none of ours, and must not hold a plan up for ever.
  return leftMs > 0 && leftMs <= LEASE_MS + LONGEST_SKEW_MS
}

/**
 * Carries a plan out, or settles it, as the only process that does. Refused where another one is at
 * it; what a process that is gone has left is taken over.
 */
export async function inRun<Answer>(
  place: RunPlace,
  { plan, act }: Pick<OutboundRun, 'plan' | 'act'>,
  work: (run: string) => Promise<Answer>,
): Promise<Answer> {
  const { store, now } = place
  const run = await begin(place, { plan, act })
  const renewing = setInterval(() => {
    // Whether it still counts is asked in the transaction of each sending.
    store.renewRun(run, toIso(now() + LEASE_MS)).catch(() => {})
  }, RENEW_MS)
  const end = (outcome: RunOutcome): Promise<void> => store.endRun(run, toIso(now()), outcome)
  try {
    const answer = await work(run)
    await end('done')
    return answer
  } catch (error) {
    await end(isStop(error) ? 'stopped' : 'failed').catch(() => {})
    throw error
  } finally {
    clearInterval(renewing)
  }
}

const isStop = (error: unknown): boolean =>
  error instanceof TillageError && error.code === 'INTERRUPTED'

async function begin(
  { store, runner, now }: RunPlace,
  { plan, act }: Pick<OutboundRun, 'plan' | 'act'>,
): Promise<string> {
  const { user, host, pid, startedAt } = runner
  for (;;) {
    const last = (await store.runs(plan)).at(-1)
    if (last !== undefined && isAlive(last, runner, now())) throw busy(last)
    const begun: OutboundRun = {
      plan,
      run: `${act}-${randomBytes(6).toString('hex')}`,
      act,
      user,
      host,
      pid,
      processStartedAt: startedAt ?? null,
      startedAt: toIso(now()),
      aliveUntil: toIso(now() + LEASE_MS),
      endedAt: null,
      outcome: null,
    }
    if (await store.beginRun(begun, last?.run ?? null)) return begun.run
  }
}

const busy = (run: OutboundRun): PlanError =>
  new PlanError('PLAN_BUSY', `${run.plan} is under way: ${describeRun(run)}`, {
    remedy: 'Wait until it is over, or stop it there. Then run the same command again.',
  })

/** `the apply of kim at till-1 (process 4711), begun 2026-11-23 14:02Z`. */
export const describeRun = ({ act, user, host, pid, startedAt }: OutboundRun): string =>
  `the ${act === 'due' ? 'sending of due rows' : act} of ${user} at ${host} (process ${pid}), ` +
  `begun ${toMinute(startedAt)}Z`

/** The last run that sends, where its process died, was stopped, or failed in the middle of it. */
function interruptedRun(
  runs: readonly OutboundRun[],
  runner: Runner,
  nowMs: number,
): OutboundRun | undefined {
  const last = runs.findLast(sends)
  const isOver = last !== undefined && !isAlive(last, runner, nowMs)
  return isOver && last.outcome !== 'done' ? last : undefined
}

/** An apply that did not come to its end, and how far it had come. */
export interface Interrupted {
  user: string
  host: string
  /** ISO, UTC. */
  startedAt: string
  /** Operations that were sent, or may have been, of all that the plan would send. */
  sent: number
  of: number
  /** Of those that the API has, how many have no receipt yet. */
  withoutReceipt: number
}

/** An operation that a plan sends, as far as an apply of it can be left unfinished. */
export interface Carried {
  state: OperationState
  /** The API has it from us, and the process died before it had read it again and said so. */
  lacksReceipt: boolean
}

const SENT: ReadonlySet<OperationState> = new Set(['submitted', 'confirmed', 'unknown', 'rejected'])

/** Undefined where nothing was interrupted, or nothing of it is left to do. */
export function findInterrupted(
  runs: readonly OutboundRun[],
  sending: readonly Carried[],
  { runner, nowMs }: { runner: Runner; nowMs: number },
): Interrupted | undefined {
  const run = interruptedRun(runs, runner, nowMs)
  const withoutReceipt = sending.filter(({ lacksReceipt }) => lacksReceipt).length
  const isLeft = withoutReceipt > 0 || sending.some(({ state }) => UNFINISHED.has(state))
  if (run === undefined || !isLeft) return undefined
  const { user, host, startedAt } = run
  const sent = sending.filter(({ state }) => SENT.has(state)).length
  // What was refused before it began has said why, and lacks an approval, say.
  if (sent === 0 && run.outcome === 'failed') return undefined
  return { user, host, startedAt, sent, of: sending.length, withoutReceipt }
}

/** `the apply of kim at till-1, begun 2026-11-23 14:02Z, was interrupted: 3 of 12 were sent`. */
export const describeInterrupted = (interrupted: Interrupted): string => {
  const { user, host, startedAt, sent, of, withoutReceipt } = interrupted
  return (
    `the apply of ${user} at ${host}, begun ${toMinute(startedAt)}Z, was interrupted: ` +
    `${sent} of ${of} were sent` +
    (withoutReceipt === 0 ? '' : `, ${withoutReceipt} without a receipt yet`)
  )
}

/** Whether the last run that sends, if there is one, came to its end. */
export function endedInOrder(runs: readonly OutboundRun[]): boolean {
  const last = runs.findLast(sends)
  return last === undefined || last.outcome === 'done'
}

export const wasApplied = (runs: readonly OutboundRun[]): boolean => runs.some(sends)

/**
 * Whether the rest may go on by itself: the last run that sends came to its end in order. One of
 * rows that were due may fail for a moment, and is tried again.
 */
export function reachedItsEnd(runs: readonly OutboundRun[]): boolean {
  const last = runs.findLast(sends)
  return last?.outcome === 'done' || (last?.act === 'due' && last.outcome === 'failed')
}

/** Acts that send what a plan holds. */
export const SENDING: ReadonlySet<OutboundRun['act']> = new Set(['apply', 'due'])

const sends = ({ act }: OutboundRun): boolean => SENDING.has(act)

/** Throws where a run is not the plan's any more: it has ended, or another one has begun. */
export async function refuseOverRun(
  store: Pick<OutboundStore, 'runs'>,
  { plan, run }: { plan: string; run: string },
): Promise<void> {
  const last = (await store.runs(plan)).at(-1)
  if (last?.run === run && last.endedAt === null) return
  const why = last?.run === run || last === undefined ? 'it has ended' : describeRun(last)
  throw new PlanError('PLAN_INTERRUPTED', `this run of ${plan} is over: ${why}`, {
    remedy: 'Nothing more of it is sent. Look at the plan, and apply it again.',
  })
}
