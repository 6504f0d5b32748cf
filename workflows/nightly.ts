import {
  CancellationScope,
  isCancellation,
  setWorkflowOptions,
  sleep,
  upsertMemo,
} from '@temporalio/workflow'
import type { Run } from '../activities/begin-run.ts'
import type { WrittenFiles } from '../activities/dependencies.ts'
import type { NightOrder } from '../activities/orders.ts'
import { explainFailure, toApplicationFailure } from './failures.ts'
import { noted } from './note-failure.ts'
import { beginRun, checkDay, findNightOrder, noteRun, writeBooks } from './proxies.ts'
import type { Failure } from './results.ts'
import { runChildSync, whyUnread } from './run-child-sync.ts'
import type { ChildReading } from './run-child-sync.ts'
import { scheduledAt } from './scheduled-time.ts'
import { goesOn } from './versioning.ts'

export interface NightlyInput {
  store: string
  /** The business day; without it, the one before the nominal time. */
  day?: string | undefined
  /** A day that is not proven is not waited for. */
  once?: boolean | undefined
}

/** What was asked for, and what tillage.yaml wants of it. */
type Night = NightlyInput & NightOrder

export interface NightResult {
  store: string
  day: string
  files: number
  manifests: string[]
  /** Earlier days that changed and could not be written again. */
  notRevised?: WrittenFiles['notRevised']
  tries: number
}

const PAUSES = { firstMs: 60_000, longestMs: 15 * 60_000 }

/**
 * One night of one store: reads, waits until the business day is proven, writes its books. A day
 * that is not proven is never exported; the night tries again until it is, and says when its
 * deadline is at risk and when it is missed (INV-11). A day that an earlier sync has proven gets
 * its books at once; the night goes on until the store was read, for nobody else looks for edits of
 * earlier days (decision 13).
 */
export async function nightly(input: NightlyInput): Promise<NightResult> {
  const { store, day } = input
  const startedMs = Date.now()
  const run = await beginRun({ kind: 'nightly', store, scheduledAt: scheduledAt(), day })
  const watch = new CancellationScope()
  // Ends by being cancelled.
  void watch.run(() => watchDeadline(run)).catch(() => {})
  try {
    const outcome = await noted(run, () => tryUntilWritten(input, run, startedMs))
    if (!isNotDone(outcome)) return outcome
    await noteRun({ run, outcome: 'failed', detail: outcome.why })
    throw toApplicationFailure(describeGivenUp(store, run, outcome), 'park')
  } finally {
    watch.cancel()
  }
}
setWorkflowOptions(goesOn, nightly)

/**
 * The files, or why there are none, or why nothing new was read, when the time is up. Each try does
 * what is wanted by then; it fails where the store is not wanted any more.
 */
async function tryUntilWritten(
  input: NightlyInput,
  run: Run,
  startedMs: number,
): Promise<NightResult | NotDone> {
  const { store } = input
  let wasRead = false
  for (let tries = 1; ; tries++) {
    const night = { ...(await findNightOrder({ store })), ...input }
    // Until a store answers, nothing new of any stream was read, whatever its books need.
    const readsAll = input.day === undefined && (tries === 1 || !wasRead)
    const { outcome, isRead } = await tryNight(night, run, readsAll)
    wasRead ||= isRead
    if (!isNotDone(outcome)) {
      await noteRun({ run, outcome: 'done', detail: describeDone(outcome) })
      return { store, day: run.day, ...outcome, tries }
    }
    const giveUpAfterMs = input.once === true ? 0 : night.giveUpAfterMs
    const pauseMs = pauseAfter(tries, night)
    if (Date.now() + pauseMs - startedMs > giveUpAfterMs) return outcome
    // What cannot be noted keeps no try from being made.
    await orNotDone(() => noteRun({ run, detail: outcome.why }))
    await sleep(pauseMs)
  }
}

const pauseAfter = (tries: number, { pauses = PAUSES }: Night): number =>
  Math.min(pauses.firstMs * 2 ** (tries - 1), pauses.longestMs)

/** The books of a night. */
type Written = Pick<NightResult, 'files' | 'manifests' | 'notRevised'>

/** Why a night is not done. */
interface NotDone {
  code: string
  why: string
  /** Its books are written, of what was read before. */
  hasBooks: boolean
}

const isNotDone = (outcome: Written | NightResult | NotDone): outcome is NotDone =>
  'code' in outcome

const withUnread = (written: Written | NotDone, unread: ReadingFailure): NotDone => {
  if (isNotDone(written)) return written
  const { code, why } = asNotDone(unread)
  return { code, why: `${describeDone(written)}; ${nothingNew(why)}`, hasBooks: true }
}

export const nothingNew = (why: string): string => `nothing new was read: ${why}`

function describeGivenUp(store: string, run: Run, { code, why, hasBooks }: NotDone): Failure {
  const sync = `tillage sync --store ${store} --from ${run.from} --to ${run.to}`
  const days = `--from ${run.day} --to ${dayAfter(run.day)}`
  return hasBooks
    ? {
        code,
        message:
          `${store} ${run.day} has its books, ` +
          `but edits of earlier days were not looked for: ${why}`,
        remedy: `tillage doctor --store ${store}, then tillage schedule trigger nightly/${store}`,
      }
    : {
        code,
        message: `${store} ${run.day} has no books: ${why}`,
        remedy: `${sync}, then tillage schedule backfill --store ${store} ${days}`,
      }
}

export const dayAfter = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10)

function describeDone({ files, notRevised = [] }: Written): string {
  const left = notRevised.map(({ day, code }) => `${day} (${code})`).join(', ')
  const done = files === 0 ? 'proven' : `${files} files`
  return left === '' ? done : `${done}; not revised: ${left}`
}

async function tryNight(
  input: Night,
  run: Run,
  readsAll: boolean,
): Promise<{ outcome: Written | NotDone; isRead: boolean }> {
  const reading = await readMissing(input, run, readsAll)
  const written = await orNotDone(() => writeNight(input, run, reading.failure))
  const unread = readsAll ? whyUnread(reading, input.needed) : undefined
  return unread === undefined
    ? { outcome: written, isRead: reading.wasBegun }
    : { outcome: withUnread(written, unread), isRead: false }
}

/** What fails on this machine, like a full disk, is tried again like a day that is not proven. */
async function orNotDone<Answer>(work: () => Promise<Answer>): Promise<Answer | NotDone> {
  try {
    return await work()
  } catch (error) {
    if (isCancellation(error)) throw error
    return asNotDone(explainFailure(error))
  }
}

async function writeNight(
  { store, needed, books }: Night,
  run: Run,
  failure: ReadingFailure | undefined,
): Promise<Written | NotDone> {
  const { missing, why } = await checkDay({ run, streams: needed })
  if (missing.length > 0)
    return failure === undefined ? { code: 'NOT_PROVEN', why, hasBooks: false } : asNotDone(failure)
  if (books.datasets.length === 0 && books.journal.length === 0) return { files: 0, manifests: [] }
  const { files, manifests, notRevised } = await writeBooks({ store, day: run.day, ...books })
  return notRevised === undefined ? { files, manifests } : { files, manifests, notRevised }
}

type ReadingFailure = Pick<Failure, 'code' | 'message'>

const asNotDone = ({ code, message }: ReadingFailure): NotDone => ({
  code,
  why: `${code}: ${message}`,
  hasBooks: false,
})

/**
 * A night reads all that is new, once the store answers; each later try, and a night of a day that
 * was named, reads what is still missing of the day.
 */
async function readMissing(
  { store, streams, needed }: Night,
  run: Run,
  readsAll: boolean,
): Promise<ChildReading> {
  const missing = readsAll ? streams : await stillMissing(run, needed)
  if (missing.length === 0) return { wasBegun: false, failed: [] }
  const work = readsAll ? { store } : { store, from: run.from, to: run.to }
  return runChildSync(work, missing)
}

/** What fails here fails once more where the day is judged, and is told then. */
async function stillMissing(run: Run, streams: readonly string[]): Promise<readonly string[]> {
  const check = await orNotDone(() => checkDay({ run, streams }))
  return 'code' in check ? [] : check.missing
}

/** Two moments for the list of workflows in Temporal; `status` computes them from the database. */
async function watchDeadline({ day, deadline, estimateMs }: Run): Promise<void> {
  if (deadline === undefined) return
  const deadlineMs = Date.parse(deadline)
  upsertMemo({ day, deadline, standing: 'on its way' })
  await sleep(Math.max(1, deadlineMs - estimateMs - Date.now()))
  upsertMemo({ standing: 'at risk' })
  await sleep(Math.max(1, deadlineMs - Date.now()))
  upsertMemo({ standing: 'missed' })
}
