import { WorkflowFailedError } from '@temporalio/client'
import type { BusyShares } from '../activities/busy.ts'
import type { Dependencies } from '../activities/dependencies.ts'
import { TillageError } from '../errors.ts'
import { countOpen, findNotProven } from '../reading/asked-range.ts'
import { NOT_OFFERED } from '../reading/check-offered.ts'
import { syncStoreId } from '../workflows/ids.ts'
import { emptyResult } from '../workflows/results.ts'
import type { Failure, RecordCounts, StoreResult, StreamResult } from '../workflows/results.ts'
import type { SyncStoreInput } from '../workflows/sync-store.ts'
import { awaitWorkflow, explainWorkflow } from './follow-workflow.ts'
import { reportProgress } from './report-progress.ts'
import type { RunningWorker } from './session.ts'

/** The JSON that `sync --json` answers. */
export interface SyncReport {
  stores: {
    store: string
    streams: StreamReport[]
    /** Streams that this API, or this partner key, does not have. */
    notOffered?: string[]
    error?: Failure
  }[]
  /**
   * Shares of the run, from 0 to 1, in which the API was answering, the database writing, and at
   * least one of them at work, by what this process did.
   */
  busy: BusyShares
}

export interface StreamReport {
  stream: string
  windows: { proven: number; unproven: number }
  /** What this run did. */
  records: RecordCounts
  requests: number
  /**
   * Records of the asked days that no table could take, whichever run met them, and that nobody has
   * replayed or discarded.
   */
  deadLetters: number
  findings: { code: string; detail: string }[]
  /** Why it was not read to its end; the store's own is the first of these. */
  error?: Failure
}

/** What a person also wants to know of a stream, beside the report. */
export interface StreamFacts {
  store: string
  stream: string
  /** Rows that the database holds now. */
  stored: number
  tookMs: number
}

export interface SyncOutcome {
  report: SyncReport
  facts: StreamFacts[]
}

export interface SyncRequest {
  stores: readonly string[]
  streams: readonly string[]
  from?: string | undefined
  to?: string | undefined
  again?: boolean | undefined
  /** The streams are all there are, not those that somebody asked for. */
  tolerant?: boolean | undefined
}

/**
 * Starts the work of each store, or joins it where it is running, and waits; Ctrl-C cancels it in
 * order.
 */
export async function runSync(
  worker: RunningWorker,
  request: SyncRequest,
  progress: (line: string) => void,
  signal: AbortSignal,
): Promise<SyncOutcome> {
  const startedMs = worker.dependencies.now()
  const busy = worker.dependencies.busy.measure()
  const stopReporting = reportProgress(worker.dependencies, progress)
  try {
    // All come to an end, one way or the other: the connection must not be closed under one that is
    // still trying.
    const ended = await Promise.allSettled(
      request.stores.map(store => followStore(worker, store, request, signal)),
    )
    const results = ended.map(end => {
      if (end.status === 'rejected') throw end.reason
      return end.value
    })
    if (signal.aborted)
      throw new TillageError('INTERRUPTED', 'stopped before the work was done', {
        remedy:
          'What was committed stays. Run the same command again: it goes on with what is missing.',
      })
    const { dependencies } = worker
    return {
      report: {
        busy: busy(),
        stores: await Promise.all(
          results.map(result => describeStore(dependencies, result, { ...request, startedMs })),
        ),
      },
      facts: await Promise.all(results.flatMap(result => gatherFacts(dependencies, result))),
    }
  } finally {
    stopReporting()
  }
}

/** A store that failed still reports what it has done. */
async function followStore(
  worker: RunningWorker,
  store: string,
  { streams, from, to, again, tolerant }: SyncRequest,
  signal: AbortSignal,
): Promise<StoreResult> {
  const input: SyncStoreInput = { store, streams: [...streams], from, to, again, tolerant }
  const workflowId = syncStoreId(input, input.streams)
  try {
    return await awaitWorkflow(worker, { type: 'syncStore', workflowId, input }, signal)
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error
    const { failure, details } = explainWorkflow(error)
    return (details[1] as StoreResult | undefined) ?? { store, streams: [], failure }
  }
}

/** The run that a store's result belongs to. */
type AskedRun = Pick<SyncRequest, 'from' | 'to' | 'streams'> & { startedMs: number }

async function describeStore(
  dependencies: Dependencies,
  { store, streams, failure }: StoreResult,
  asked: AskedRun,
): Promise<SyncReport['stores'][number]> {
  const ids = streams.flatMap(({ findings }) => findings)
  const found = await dependencies.destination.findings.byId(ids)
  const notOffered = found.filter(({ code }) => code === NOT_OFFERED).map(({ stream }) => stream)
  // A store that failed names what it has done; one that did not has done all that was asked.
  const unanswered = asked.streams.filter(name => !streams.some(({ stream }) => stream === name))
  const results = failure === undefined ? [...streams, ...unanswered.map(emptyResult)] : streams
  const described = results
    .filter(({ stream }) => !notOffered.includes(stream))
    .map(async result => ({
      ...(await describeStream(dependencies, store, result, asked)),
      findings: found
        .filter(({ stream }) => stream === result.stream)
        .map(({ code, detail }) => ({ code, detail })),
    }))
  return {
    store,
    ...(notOffered.length === 0 ? {} : { notOffered }),
    streams: await Promise.all(described),
    ...(failure === undefined ? {} : { error: failure }),
  }
}

/** What a workflow counted, and what the ledger says of the range (INV-1). */
async function describeStream(
  dependencies: Dependencies,
  store: string,
  { stream, windows, records, requests, failure }: StreamResult,
  { from, to, startedMs }: AskedRun,
): Promise<Omit<StreamReport, 'findings'>> {
  const { destination } = dependencies
  const notProven =
    failure === undefined
      ? await findNotProven(dependencies, { store, stream, from, to, startedMs })
      : []
  // Of the windows that the workflow could not prove, those that nobody has proven since.
  const open = windows.unproven === 0 ? 0 : await countOpen(destination.ledger, store, stream)
  return {
    stream,
    windows: { ...windows, unproven: Math.max(notProven.length, Math.min(windows.unproven, open)) },
    records,
    requests,
    deadLetters: await destination.deadLetters.count(store, dependencies.stream(stream), {
      from,
      to,
    }),
    ...(failure === undefined ? {} : { error: failure }),
  }
}

function gatherFacts(
  { destination }: Dependencies,
  { store, streams }: StoreResult,
): Promise<StreamFacts>[] {
  return streams.map(async ({ stream, tookMs }) => ({
    store,
    stream,
    stored: await destination.rows.count(store, stream),
    tookMs,
  }))
}
