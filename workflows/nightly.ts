import {
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  sleep,
  upsertMemo,
} from '@temporalio/workflow'
import type { Run } from '../activities/begin-run.ts'
import type { DayFilesOrder, WrittenFiles } from '../activities/dependencies.ts'
import { explainFailure } from './failures.ts'
import { beginRun, checkDay, noteRun, writeBooks } from './proxies.ts'
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
  const { store, dayStartsAt, deadline, day, pauses = PAUSES } = input
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
    for (
      let tries = 1, pauseMs = pauses.firstMs;
      ;
      tries++, pauseMs = Math.min(pauseMs * 2, pauses.longestMs)
    ) {
      const tried = await tryNight(input, run, tries === 1)
      if ('files' in tried) {
        await noteRun({ run, outcome: 'done', detail: describeDone(tried) })
        return { store, day: run.day, ...tried, tries }
      }
      if (Date.now() + pauseMs - startedMs > input.giveUpAfterMs) {
        await noteRun({ run, outcome: 'failed', detail: tried.why })
        throw ApplicationFailure.create({
          type: tried.code,
          message: `${store} ${run.day} has no books: ${tried.why}`,
          nonRetryable: true,
          details: [
            {
              recovery: 'park',
              remedy: `tillage sync --store ${store} --from ${run.from} --to ${run.to}, then tillage schedule backfill --store ${store} --from ${run.day} --to ${dayAfter(run.day)}`,
            },
          ],
        })
      }
      await noteRun({ run, detail: tried.why })
      await sleep(pauseMs)
    }
  } finally {
    watch.cancel()
  }
}

type Tried = Pick<NightResult, 'files' | 'manifests' | 'notRevised'> | { code: string; why: string }

export const dayAfter = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10)

function describeDone({
  files,
  notRevised = [],
}: Pick<NightResult, 'files' | 'notRevised'>): string {
  const left = notRevised.map(({ day, code }) => `${day} (${code})`).join(', ')
  return `${files === 0 ? 'proven' : `${files} files`}${left === '' ? '' : `; not revised: ${left}`}`
}

/**
 * The first try of a night reads all that is new; each later try reads what is still missing of the
 * day.
 */
async function tryNight(
  { store, streams, needed, books, day }: NightlyInput,
  run: Run,
  first: boolean,
): Promise<Tried> {
  let failure: { code: string; message: string } | undefined
  const lacking =
    first && day === undefined ? streams : (await checkDay({ run, streams: needed })).missing
  if (lacking.length > 0) {
    const work = first && day === undefined ? { store } : { store, from: run.from, to: run.to }
    failure = (await runChildSync(work, lacking)).failure
  }
  const { missing, why } = await checkDay({ run, streams: needed })
  if (missing.length > 0)
    return failure === undefined
      ? { code: 'NOT_PROVEN', why }
      : { code: failure.code, why: `${failure.code}: ${failure.message}` }
  if (books.datasets.length === 0 && books.journal.length === 0) return { files: 0, manifests: [] }
  try {
    return await writeBooks({ store, day: run.day, ...books })
  } catch (error) {
    if (isCancellation(error)) throw error
    const { code, message } = explainFailure(error)
    return { code, why: `${code}: ${message}` }
  }
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
