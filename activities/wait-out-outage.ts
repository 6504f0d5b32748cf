import { setTimeout as delay } from 'node:timers/promises'
import { ApplicationFailure } from '@temporalio/activity'
import { MINUTE_MS } from '../calendar/days.ts'
import { lostBecause } from '../connectors/partner/lost-answer.ts'
import { STORE_PATH } from '../connectors/partner/store-info.ts'
import { PartnerError, TillageError } from '../errors.ts'
import type { Dependencies, Outage, OutageEnd, Store } from './dependencies.ts'
import type { FailureDetails } from './failure-details.ts'
import { noteAnswered, noteFailed } from './note-attempt.ts'

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
      if (end === 'gone') throw goneFor(dependencies, storeId, error)
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

/** Not tried again: the patience was for that. */
function goneFor(
  { outages, now }: Dependencies,
  storeId: string,
  { code, recovery, remedy }: PartnerError,
): ApplicationFailure {
  return ApplicationFailure.create({
    type: code,
    message: describeGone(storeId, outages.get(storeId), now()),
    nonRetryable: true,
    details: [{ recovery, remedy, wasWaitedFor: true } satisfies FailureDetails],
  })
}

function describeGone(store: string, outage: Outage | undefined, nowMs: number): string {
  const seconds = Math.round((nowMs - (outage?.sinceMs ?? nowMs)) / 1000)
  const waited = seconds === 0 ? '' : `, and was waited for ${seconds} s`
  return `the API of ${store} does not answer (${outage?.reason ?? 'stopped'})${waited}`
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
  if (known !== undefined && !isLongOver(known, dependencies.now())) {
    const end = await Promise.race([known.end, stoppedBy(signal)])
    if (end !== 'gone' || !(await answers(store, signal))) return end
    // Of several windows that find it back, one tells.
    if (outages.delete(storeId)) await tellEnd(dependencies, storeId, known, 'back')
    return 'back'
  }
  const outage: Outage = {
    sinceMs: dependencies.now(),
    reason: reasonOf(error),
    nextTryMs: undefined,
    gaveUpMs: undefined,
    isTold: false,
    end: Promise.resolve('none'),
  }
  // Known before the first question is answered: all windows fail at once, and one of them asks.
  outages.set(storeId, outage)
  outage.end = askUntilBack(dependencies, store, outage, signal).then(async end => {
    if (end === 'gone') outage.gaveUpMs = dependencies.now()
    else outages.delete(storeId)
    await tellEnd(dependencies, storeId, outage, end)
    return end
  })
  return outage.end
}

/** What was given up stays known so long: the next window need not wait as long again. */
const GIVEN_UP_MS = 10 * MINUTE_MS

const isLongOver = ({ gaveUpMs }: Outage, nowMs: number): boolean =>
  gaveUpMs !== undefined && nowMs - gaveUpMs > GIVEN_UP_MS

/** Several windows wait for one answer, and each stops waiting when its own time is up. */
const stoppedBy = (signal: AbortSignal): Promise<OutageEnd> =>
  new Promise(resolve => {
    if (signal.aborted) resolve('none')
    signal.addEventListener('abort', () => resolve('none'), { once: true })
  })

async function askUntilBack(
  dependencies: Dependencies,
  store: Store,
  outage: Outage,
  signal: AbortSignal,
): Promise<OutageEnd> {
  const { patienceMs, now } = dependencies
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
    if (!outage.isTold && !signal.aborted) await tellGone(dependencies, store.settings.id, outage)
  }
}

/** Whoever watches this process, or asks for the status, need not wait for the end to know. */
async function tellGone(dependencies: Dependencies, store: string, outage: Outage): Promise<void> {
  const { sinceMs, reason } = outage
  outage.isTold = true
  dependencies.onOutageEvent({ store, sinceMs, reason, event: 'api_gone' })
  await noteGone(dependencies, store, `the API of ${store} does not answer (${reason})`)
}

const noteGone = (dependencies: Dependencies, store: string, message: string): Promise<void> =>
  noteFailed(dependencies, store, { code: 'PARTNER_UNREACHABLE', message })

/** Once for all windows that have waited. */
async function tellEnd(
  dependencies: Dependencies,
  store: string,
  outage: Outage,
  end: OutageEnd,
): Promise<void> {
  const { sinceMs, reason, isTold } = outage
  if (end === 'none') return
  const event = end === 'back' ? 'api_back' : 'api_given_up'
  if (isTold) dependencies.onOutageEvent({ store, sinceMs, reason, event })
  // A database that takes nothing fails the work itself.
  if (end === 'gone')
    await noteGone(dependencies, store, describeGone(store, outage, dependencies.now()))
  else if (isTold) await noteAnswered(dependencies, store).catch(() => {})
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
