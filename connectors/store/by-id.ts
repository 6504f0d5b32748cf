import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { toIso } from '../../calendar/days.ts'
import { TillageError } from '../../errors.ts'
import type { Destination } from '../destination/destination.ts'
import type { WindowCounts, WindowToCommit } from '../destination/windows.ts'
import { lookUp } from '../partner/look-up.ts'
import type { LookedUp, LookUpPlace } from '../partner/look-up.ts'

/**
 * What fails in passing is asked again after these; nobody waits longer for a single record.
 */
const PAUSES_MS = [200, 600, 1_800]
/** An answer that says nothing may have been cut off on its way: it is asked for twice more. */
const UNCLEAR_TURNS = 2

/** A refusal, or an API that is gone, is no answer: whoever asks goes on without it. */
export async function askById(
  endpoint: LookUpPlace,
  id: string,
  signal: AbortSignal,
): Promise<LookedUp> {
  let unclear = 0
  for (const pauseMs of [...PAUSES_MS, undefined]) {
    const answer = await lookUp(endpoint, id, signal).catch(asPassing)
    const isClear = answer !== 'passing' && answer.kind !== 'unclear'
    if (isClear) return answer
    if (answer !== 'passing' && unclear++ === UNCLEAR_TURNS) return answer
    if (pauseMs !== undefined) await pause(pauseMs, undefined, { signal })
  }
  return { kind: 'unclear' }
}

function asPassing(error: unknown): 'passing' | LookedUp {
  if (!(error instanceof TillageError)) throw error
  return error.recovery === 'retry' ? 'passing' : { kind: 'unclear' }
}

type Page = Extract<LookedUp, { kind: 'record' }>['page']

/** `window`: the one whose list does not show these records any more, where that is why. */
type Observation = Pick<WindowToCommit, 'store' | 'stream' | 'since'> &
  Partial<Pick<WindowToCommit, 'window'>>

/**
 * Merges records that were asked for by their ids, in one transaction, as a reading of its own. It
 * proves no part of a list, so the ledger does not hear of it.
 */
export async function mergeRecords(
  { windows }: Pick<Destination, 'windows'>,
  { store, stream, since, window }: Observation,
  pages: readonly Page[],
): Promise<WindowCounts | undefined> {
  if (pages.length === 0) return undefined
  const reading = randomUUID()
  for (const [page, { text: body, unfit }] of pages.entries())
    await windows.stage({ reading, page, rows: 1, body, unfit })
  const readAt = toIso(Date.now())
  const { counts } = await windows.commit({
    reading,
    store,
    stream,
    window: window ?? { start: readAt, end: readAt },
    status: 'proven',
    byId: true,
    evidence: {},
    superseded: {},
    since,
    fetched: pages.length,
    findings: [],
    readAt,
  })
  return counts
}
