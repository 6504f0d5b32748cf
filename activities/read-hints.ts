import { setTimeout as pause } from 'node:timers/promises'
import { dayOf } from '../calendar/clock.ts'
import { HOUR_MS, MINUTE_MS } from '../calendar/days.ts'
import type { Hint } from '../connectors/destination/hints.ts'
import { askById, mergeRecords } from '../connectors/store/by-id.ts'
import { pastUntilMs } from '../reading/api-time.ts'
import type { Dependencies } from './dependencies.ts'

/** What was read of a range because of hints, for the next call: they are done. */
export interface ReadHintsInput {
  store: string
  done?: readonly Hint[] | undefined
}

export interface HintsRead {
  /** Records that the API showed. */
  records: number
  /** Hints that the API did not answer for; they wait. */
  unanswered: number
  /** Streams of which what changed lately is to be read, from the first day on. */
  range?: { from: string; hints: Hint[] }
}

/** So many records a second are asked for at most, whatever hints come: 120 a minute and store. */
const MS_PER_RECORD = 500
const MOST_AT_ONCE = 8
/** What changed lately in a stream is read at most so often. */
const BETWEEN_RANGES_MS = MINUTE_MS
/** While hints come, one activity reads for them; it ends after this, or when none comes. */
const LONGEST_MS = MINUTE_MS
const QUIET_MS = 3_000
const POLL_EVERY_MS = 250
/** What the API does not answer for is left to the night after this. */
const FORGET_AFTER_MS = HOUR_MS

/**
 * Asks the API for the records that hints name, each by its id, and merges what it shows: an
 * observation, which proves no window. Hints that name nothing come back as a range to be read.
 */
export async function readHints(
  dependencies: Dependencies,
  { store, done = [] }: ReadHintsInput,
  signal: AbortSignal,
): Promise<HintsRead> {
  const { destination, now } = dependencies
  const startedMs = now()
  const read: HintsRead = { records: 0, unanswered: 0 }
  if (done.length > 0) await destination.hints.done(done, startedMs)
  for (let quietSinceMs = startedMs; now() - startedMs < LONGEST_MS && !signal.aborted;) {
    const hints = await destination.hints.waiting(store, {
      most: MOST_AT_ONCE,
      rangesSinceMs: now() - BETWEEN_RANGES_MS,
    })
    const range = await rangeOf(dependencies, store, hints)
    if (range !== undefined) return { ...read, range }
    if (hints.length === 0 && now() - quietSinceMs > QUIET_MS) return read
    if (hints.length > 0) quietSinceMs = now()
    const round = await readRound(dependencies, { store, hints }, signal)
    read.records += round.records
    read.unanswered += round.unanswered
    if (round.unanswered > 0) return read
    await pause(Math.max(POLL_EVERY_MS, MS_PER_RECORD * hints.length), undefined, { signal })
  }
  return read
}

/** Hints that no id can be asked for, with the day from which on their streams are read. */
async function rangeOf(
  dependencies: Dependencies,
  store: string,
  hints: readonly Hint[],
): Promise<HintsRead['range']> {
  const { destination, stream, now } = dependencies
  const ofRanges = hints.filter(hint => hint.id === undefined || !stream(hint.stream).lookup)
  if (ofRanges.length === 0) return undefined
  const timeZone = (await destination.stores.find(store))?.timeZone
  const isOld = ({ firstMs }: Hint): boolean => now() - firstMs > FORGET_AFTER_MS
  // Of a store that was never read, the first sync reads it all.
  const [left, wanted] = split(ofRanges, hint => timeZone === undefined || isOld(hint))
  if (left.length > 0) await destination.hints.forget(left)
  if (timeZone === undefined || wanted.length === 0) return undefined
  const apiNowMs = await pastUntilMs(dependencies, store)
  return { from: dayOf(apiNowMs, timeZone), hints: wanted }
}

interface Round {
  store: string
  hints: readonly Hint[]
}

async function readRound(
  dependencies: Dependencies,
  { store, hints }: Round,
  signal: AbortSignal,
): Promise<Pick<HintsRead, 'records' | 'unanswered'>> {
  const { destination, now } = dependencies
  const all = { records: 0, unanswered: 0 }
  for (const [name, ofStream] of Map.groupBy(hints, ({ stream }) => stream)) {
    const endpoint = dependencies.store(store).endpoint(dependencies.stream(name))
    const since = await destination.rows.lastReading()
    const answers = await Promise.all(
      ofStream.map(async hint => ({ hint, answer: await askById(endpoint, hint.id!, signal) })),
    )
    const pages = answers.flatMap(({ answer }) => (answer.kind === 'record' ? [answer.page] : []))
    await mergeRecords(destination, { store, stream: name, since }, pages)
    const [unclear, clear] = split(answers, ({ answer }) => answer.kind === 'unclear')
    // An id that the API does not know is answered: whoever named it was wrong, or it is gone.
    await destination.hints.done(hintsOf(clear), now())
    const [old, waiting] = split(
      hintsOf(unclear),
      ({ firstMs }) => now() - firstMs > FORGET_AFTER_MS,
    )
    if (old.length > 0) await destination.hints.forget(old)
    all.records += pages.length
    all.unanswered += waiting.length
  }
  return all
}

const hintsOf = (answers: readonly { hint: Hint }[]): Hint[] => answers.map(({ hint }) => hint)

const split = <One>(all: readonly One[], is: (one: One) => boolean): [One[], One[]] => [
  all.filter(is),
  all.filter(one => !is(one)),
]
