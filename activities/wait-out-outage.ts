import { setTimeout as delay } from 'node:timers/promises'
import { ApplicationFailure } from '@temporalio/activity'
import { MINUTE_MS, toIso } from '../calendar/days.ts'
import { lostBecause } from '../connectors/partner/lost-answer.ts'
import { STORE_PATH } from '../connectors/partner/store-info.ts'
import { PartnerError, TillageError } from '../errors.ts'
import type { Dependencies, Outage, OutageEnd, Store } from './dependencies.ts'
import type { FailureDetails } from './failure-details.ts'

/** A wait is over before the attempt that it belongs to; the next attempt waits on. */
const LONGEST_WAIT_MS = 20 * MINUTE_MS
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 20_000

/** A key that is refused more often than this is refused, whatever the store itself answers. */
const MOST_STRAY_REFUSALS = 3

/**
 * Does the work, and where the API is gone in the middle of it, waits until it answers and does it
 * again, for as long as the patience of this process lasts and the signal lets it. A single
 * connection that breaks is no outage: then the error goes its ordinary way to the retries. A 401
 * in the middle of it is looked into before it is believed, because it ends the run.
 */
export async function waitOutOutage<Answer>(
  dependencies: Dependencies,
  storeId: string,
  signal: AbortSignal,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const startedMs = dependencies.now()
  const unlessStray = believingKeys(dependencies.store(storeId), signal, work)
  for (;;) {
    try {
      return await unlessStray()
    } catch (error) {
      if (!isUnreachable(error) || signal.aborted) throw error
      if (dependencies.now() - startedMs > LONGEST_WAIT_MS) throw error
      const end = await waitForApi(dependencies, storeId, error, signal)
      if (end === 'gone') throw await noteGone(dependencies, storeId, error)
      if (end === 'none') throw error
    }
  }
}

const isUnreachable = (error: unknown): error is PartnerError =>
  error instanceof PartnerError && error.code === 'PARTNER_UNREACHABLE'

const isKeyRefused = (error: unknown): boolean =>
  error instanceof PartnerError && error.code === 'PARTNER_KEYS'

/** The work, done again where a gateway refused once what it takes before and after. */
function believingKeys<Answer>(
  { client }: Store,
  signal: AbortSignal,
  work: () => Promise<Answer>,
): () => Promise<Answer> {
  let refusals = 0
  const takesKey = async (): Promise<boolean> => {
    try {
      await delay(refusals * FIRST_PAUSE_MS, undefined, { signal })
      await client.get(STORE_PATH, {}, signal)
      return true
    } catch {
      return false
    }
  }
  return async () => {
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (!isKeyRefused(error) || refusals++ >= MOST_STRAY_REFUSALS) throw error
        if (!(await takesKey())) throw error
      }
    }
  }
}

/** `status` tells it, whichever of its lists was being read. */
async function noteGone(
  dependencies: Dependencies,
  store: string,
  error: PartnerError,
): Promise<ApplicationFailure> {
  const gone = goneFor(dependencies, store, error)
  await noteFailed(dependencies, store, { code: error.code, message: gone.message })
  return gone
}

/** Not tried again: the patience was for that. */
function goneFor(
  { outages, now }: Dependencies,
  storeId: string,
  { code, recovery, remedy }: PartnerError,
): ApplicationFailure {
  const outage = outages.get(storeId)
  const seconds = Math.round((now() - (outage?.sinceMs ?? now())) / 1000)
  return ApplicationFailure.create({
    type: code,
    message:
      `the API of ${storeId} does not answer (${outage?.reason ?? 'stopped'}), ` +
      `and was waited for ${seconds} s`,
    nonRetryable: true,
    details: [{ recovery, remedy, wasWaitedFor: true } satisfies FailureDetails],
  })
}

async function waitForApi(
  dependencies: Dependencies,
  storeId: string,
  error: PartnerError,
  signal: AbortSignal,
): Promise<OutageEnd> {
  const { outages } = dependencies
  const store = dependencies.store(storeId)
  const known = outages.get(storeId)
  if (known !== undefined) {
    const end = await Promise.race([known.end, stoppedBy(signal)])
    if (end !== 'gone' || !(await answers(store, signal))) return end
    outages.delete(storeId)
    return 'back'
  }
  const outage: Outage = {
    sinceMs: dependencies.now(),
    reason: reasonOf(error),
    nextTryMs: undefined,
    end: Promise.resolve('none'),
  }
  // Known before the first question is answered: all windows fail at once, and one of them asks.
  outages.set(storeId, outage)
  outage.end = askUntilBack(dependencies, store, outage, signal).then(end => {
    // What was given up stays known: the next window need not wait as long again.
    if (end !== 'gone') outages.delete(storeId)
    return end
  })
  return outage.end
}

/** Several windows wait for one answer, and each stops waiting when its own time is up. */
const stoppedBy = (signal: AbortSignal): Promise<OutageEnd> =>
  new Promise(resolve => {
    if (signal.aborted) resolve('none')
    signal.addEventListener('abort', () => resolve('none'), { once: true })
  })

async function askUntilBack(
  { patienceMs, now }: Dependencies,
  store: Store,
  outage: Outage,
  signal: AbortSignal,
): Promise<OutageEnd> {
  if (await answers(store, signal)) return 'none'
  const longestMs = Math.min(patienceMs, LONGEST_WAIT_MS)
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const leftMs = outage.sinceMs + longestMs - now()
    outage.nextTryMs = undefined
    if (signal.aborted) return 'none'
    if (leftMs <= 0) return 'gone'
    outage.nextTryMs = now() + Math.min(pauseMs, leftMs)
    await delay(Math.min(pauseMs, leftMs), undefined, { signal }).catch(() => {})
    if (await answers(store, signal)) return 'back'
  }
}

/** Whatever it answers: only silence is an outage. */
async function answers({ client }: Store, signal: AbortSignal): Promise<boolean> {
  try {
    await client.get(STORE_PATH, {}, signal)
    return true
  } catch (error) {
    return error instanceof TillageError && !isUnreachable(error)
  }
}

const reasonOf = ({ cause, message }: PartnerError): string => lostBecause(cause) ?? message

type Sources = Pick<Dependencies, 'destination' | 'now'>

/** Which errors of a step mean that the store cannot be read at all. */
export type MeansFailed = (error: TillageError) => boolean

/** The first request of a run: whatever it fails with. */
export const anyError: MeansFailed = ({ code }) => code !== 'INTERRUPTED'

/** A window that is not proven stands in the ledger; keys that are refused in the middle do not. */
export const fatalError: MeansFailed = ({ recovery, code }) =>
  recovery === 'fatal' && code !== 'INTERRUPTED'

/** Remembers that a store could not be read, and why: `status` tells it, whoever tried (INV-11). */
export async function noteIfItFails<Answer>(
  sources: Sources,
  { store, means }: { store: string; means: MeansFailed },
  work: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof TillageError && means(error)) await noteFailed(sources, store, error)
    throw error
  }
}

/** A database that takes nothing fails the run by itself; this error is the first cause. */
async function noteFailed(
  { destination, now }: Sources,
  store: string,
  { code, message: detail }: Pick<TillageError, 'code' | 'message'>,
): Promise<void> {
  const attempt = { store, at: toIso(now()), outcome: 'failed' as const, code, detail }
  await destination.attempts.keep(attempt).catch(() => {})
}

/** Its API answered for this store, with these keys. */
export const noteAnswered = ({ destination, now }: Sources, store: string): Promise<void> =>
  destination.attempts.keep({
    store,
    at: toIso(now()),
    outcome: 'answered',
    code: undefined,
    detail: undefined,
  })
