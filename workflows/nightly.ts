import { CancellationScope, isCancellation, patched, sleep, upsertMemo } from '@temporalio/workflow'
import type { Run } from '../activities/begin-run.ts'
import type { DayFilesOrder, WrittenFiles } from '../activities/dependencies.ts'
import { explainFailure, toApplicationFailure } from './failures.ts'
import { noted } from './note-failure.ts'
import { beginRun, checkDay, noteRun, writeBooks } from './proxies.ts'
import type { Failure } from './results.ts'
import { runChildSync } from './run-child-sync.ts'
import { scheduledAt } from './scheduled-time.ts'

export interface NightlyInput {
  store: string
  /** Everything that is read each night. */
  streams: string[]
  /** What must be proven before books are written. */
  needed: string[]
  dayStartsAt: string
  deadline?: string | undefined
  books: Pick<DayFilesOrder, 'datasets' | 'formats' | 'journal'>
  /** A day that is not proven is tried again for this long. */
  giveUpAfterMs: number
  /** The business day; without it, the one before the nominal time. */
  day?: string | undefined
  /** Between two tries: this long at first, then twice as long each time. */
  pauses?: { firstMs: number; longestMs: number } | undefined
}

export interface NightResult {
  store: string
  day: string
  files: number
  manifests: string[]
  /** Earlier days that changed and could not be written again. Absent in older histories. */
  notRevised?: WrittenFiles['notRevised']
  tries: number
}

const PAUSES = { firstMs: 60_000, longestMs: 15 * 60_000 }

/**
 * One night of one store: reads, waits until the business day is proven, writes its books. A day
 * that is not proven is never exported; the night tries again until it is, and says when its
 * deadline is at risk and when it is missed (INV-11).
 */
export async function nightly(input: NightlyInput): Promise<NightResult> {
  const { store, dayStartsAt, deadline, day } = input
  const startedMs = Date.now()
  const run = await beginRun({
    kind: 'nightly',
    store,
    scheduledAt: scheduledAt(),
    dayStartsAt,
    deadline,
    day,
  })
  const watch = new CancellationScope()
  // Ends by being cancelled.
  void watch.run(() => watchDeadline(run)).catch(() => {})
  try {
    const outcome = await noted(run, () => tryUntilWritten(input, run, startedMs))
    if ('files' in outcome) return outcome
    await noteRun({ run, outcome: 'failed', detail: outcome.why })
    throw toApplicationFailure(describeGivenUp(store, run, outcome), 'park')
  } finally {
    watch.cancel()
  }
}

/** The files, or why there are none when the time is up. */
async function tryUntilWritten(
  input: NightlyInput,
  run: Run,
  startedMs: number,
): Promise<NightResult | NotWritten> {
  const { store, giveUpAfterMs, pauses = PAUSES } = input
  let pauseMs = pauses.firstMs
  let wasBegun = false
  for (let tries = 1; ; tries++) {
    // Until a store answers, nothing new of any stream was read, whatever its books need.
    const readsAll =
      input.day === undefined && (tries === 1 || (!wasBegun && patched('read-all-until-begun')))
    const outcome = await tryNight(input, run, readsAll)
    wasBegun ||= outcome.wasBegun
    if ('files' in outcome) {
      await noteRun({ run, outcome: 'done', detail: describeDone(outcome) })
      const { files, manifests, notRevised } = outcome
      const revised = notRevised === undefined ? {} : { notRevised }
      return { store, day: run.day, files, manifests, ...revised, tries }
    }
    if (Date.now() + pauseMs - startedMs > giveUpAfterMs) return outcome
    await noteRun({ run, detail: outcome.why })
    await sleep(pauseMs)
    pauseMs = Math.min(pauseMs * 2, pauses.longestMs)
  }
}

/** The files of a night, or why there are none yet. */
type TryOutcome = Pick<NightResult, 'files' | 'manifests' | 'notRevised'> | NotWritten

interface NotWritten {
  code: string
  why: string
}

function describeGivenUp(store: string, run: Run, { code, why }: NotWritten): Failure {
  const sync = `tillage sync --store ${store} --from ${run.from} --to ${run.to}`
  const days = `--from ${run.day} --to ${dayAfter(run.day)}`
  return {
    code,
    message: `${store} ${run.day} has no books: ${why}`,
    remedy: `${sync}, then tillage schedule backfill --store ${store} ${days}`,
  }
}

export const dayAfter = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10)

function describeDone({
  files,
  notRevised = [],
}: Pick<NightResult, 'files' | 'notRevised'>): string {
  const left = notRevised.map(({ day, code }) => `${day} (${code})`).join(', ')
  return `${files === 0 ? 'proven' : `${files} files`}${left === '' ? '' : `; not revised: ${left}`}`
}

async function tryNight(
  input: NightlyInput,
  run: Run,
  readsAll: boolean,
): Promise<TryOutcome & { wasBegun: boolean }> {
  const { failure, wasBegun } = await readMissing(input, run, readsAll)
  return { ...(await writeNight(input, run, failure)), wasBegun }
}

async function writeNight(
  { store, needed, books }: NightlyInput,
  run: Run,
  failure: ReadingFailure | undefined,
): Promise<TryOutcome> {
  const { missing, why } = await checkDay({ run, streams: needed })
  if (missing.length > 0)
    return failure === undefined ? { code: 'NOT_PROVEN', why } : asNotWritten(failure)
  if (books.datasets.length === 0 && books.journal.length === 0) return { files: 0, manifests: [] }
  try {
    return await writeBooks({ store, day: run.day, ...books })
  } catch (error) {
    if (isCancellation(error)) throw error
    return asNotWritten(explainFailure(error))
  }
}

type ReadingFailure = Pick<Failure, 'code' | 'message'>

const asNotWritten = ({ code, message }: ReadingFailure): NotWritten => ({
  code,
  why: `${code}: ${message}`,
})

/**
 * A night reads all that is new, once the store answers; each later try, and a night of a day that
 * was named, reads what is still missing of the day.
 */
async function readMissing(
  { store, streams, needed }: NightlyInput,
  run: Run,
  readsAll: boolean,
): Promise<{ failure?: ReadingFailure; wasBegun: boolean }> {
  const missing = readsAll ? streams : (await checkDay({ run, streams: needed })).missing
  if (missing.length === 0) return { wasBegun: false }
  const work = readsAll ? { store } : { store, from: run.from, to: run.to }
  return runChildSync(work, missing)
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
