import { PartnerError } from '../../errors.ts'
import type { LookUpOutcome, Outcome, Unclear } from '../../outbound/outcome.ts'
import { outcomeOf, TAKEN_OVER } from '../../outbound/outcome.ts'
import type { SendRules, Write } from '../../outbound/sending.ts'
import { isUnread } from '../../reading/prove-list.ts'
import type { JsonRecord } from '../../text/exact-json.ts'
import { canBeRead, getRecordToSend, isKeyRefused, putRecord, UnreadableRecord } from '../api.ts'
import { contentHash, modifiedOf } from '../content.ts'
import { isDeleted } from '../live.ts'
import type { Operation } from '../operation.ts'
import { createReader, readList } from '../read-list.ts'
import { differences, isAsPlanned, withChanges } from './body.ts'
import { provideImages } from './provide-images.ts'
import { NEVER } from './store-run.ts'
import type { StoreRun } from './store-run.ts'

/**
 * Writing a whole record twice is harmless as long as it is as the plan saw it, and that is read
 * right before each time.
 */
export const UPDATE_RULES: SendRules = {
  patienceMs: 3_000,
  firstPauseMs: 300,
  longestPauseMs: 2_000,
  whenAbsent: 'send again',
  mostSends: 10,
}

/** So long an update that the API took is looked for where it does not show it (decision 17). */
const SHOWN_WITHIN_MS = 10_000

/** A record that was read longer ago is read again: somebody may have edited it since. */
const FRESH_FOR_MS = 500
/** So often it is read anew where it is different each time; then a later attempt has it. */
const MOST_READS = 5
/** After so many sendings without an answer it is left to a person. */
const MOST_UNCLEAR = 3

/**
 * `PUT` of one record: read, compared with what the plan saw, sent once, read again. `wasSent`:
 * what goes out was written down before, so an earlier attempt may have sent it.
 */
export function writeUpdate(run: StoreRun, planned: Operation, wasSent: boolean): Write {
  let unclear = 0
  let isSent = wasSent
  let isTaken = false
  return {
    async send(attempt) {
      const outcome =
        (await provideImages(run, planned)) ??
        (await sendOnce(inTurn(run, planned), sent => {
          const mayBeThere = isSent
          return readAndPut(run, planned, {
            attempt,
            mayBeThere,
            sent() {
              isSent = true
              sent()
            },
          })
        }))
      if (outcome?.kind === 'unknown') unclear++
      if (outcome !== undefined) return outcome
      isTaken = true
      const shown = await readAgain(run, planned)
      return shown.kind === 'unknown' ? { ...shown, patienceMs: SHOWN_WITHIN_MS } : shown
    },
    async search() {
      if (!isSent) return { kind: 'absent', wasNeverSent: true }
      if (isTaken) return readTaken(run, planned)
      const found = await searchUpdate(run, planned)
      return found.kind === 'absent' && unclear >= MOST_UNCLEAR
        ? { kind: 'unclear', why: `sent ${unclear} times, and the record is as it was` }
        : found
    },
  }
}

/** As it is now. Takes its turns at the governor itself. */
const readTarget = (
  run: StoreRun,
  { entity, targetId }: Operation,
): Promise<JsonRecord | undefined> =>
  createReader(run.store, run.streams, NEVER).record(entity, targetId!)

/** The same, to be sent back whole, within a turn that was taken before. */
const readToSend = async (
  run: StoreRun,
  { entity, targetId }: Operation,
): Promise<JsonRecord | undefined> =>
  canBeRead(entity)
    ? getRecordToSend(run.store.client, entity, targetId!, NEVER)
    : (await readList(run.store, run.streams[entity], NEVER, { toBeSent: true })).byId.get(
        targetId!,
      )

/** How a last reading and the sending after it come to their requests. */
interface Turns {
  run: StoreRun
  /** Both at once; a list has turns of its own, and nobody may wait for a turn while having one. */
  take<Answer>(action: () => Promise<Answer>): Promise<Answer>
}

export const inTurn = (run: StoreRun, { entity, op }: Operation): Turns => ({
  run,
  take: op === 'create' || canBeRead(entity) ? run.paced : action => action(),
})

/**
 * A last reading and the sending. Undefined: the API took it. What fails before `sent` is called
 * was certainly not taken.
 */
export async function sendOnce(
  { run, take }: Turns,
  action: (sent: () => void) => Promise<Outcome | undefined>,
): Promise<Outcome | undefined> {
  let isSent = false
  try {
    return await take(() => action(() => void (isSent = true)))
  } catch (error) {
    if (isUnread(error) && !(error instanceof PartnerError))
      return { ...unread(error), kind: 'not taken' }
    const outcome = outcomeOf(error)
    if (isKeyRefused(error)) run.fail(error)
    if (isSent) return outcome
    // It would be the same at every further reading: see `getRecordToSend`.
    if (error instanceof UnreadableRecord) return { kind: 'rejected', why: outcome.why }
    return outcome.kind === 'not taken' ? outcome : { kind: 'not taken', why: outcome.why }
  }
}

interface Attempt {
  attempt: number
  /** An earlier attempt may have been taken. */
  mayBeThere: boolean
  sent(): void
}

/**
 * The last reading is under a second old when the record goes; what goes is on the disk before.
 * Where the disk takes longer than that, it goes at once after a second one that shows the same:
 * eight writes that wait for one disk would otherwise all read again for ever.
 */
async function readAndPut(
  run: StoreRun,
  planned: Operation,
  { attempt, mayBeThere, sent }: Attempt,
): Promise<Outcome | undefined> {
  let keptAs: string | undefined
  for (let reads = 0; reads < MOST_READS; reads++) {
    const record = await readToSend(run, planned)
    const readAtMs = run.now()
    const refused = judge(run, planned, record)
    // As planned, after an attempt without an answer: that one was taken late, so it has a receipt.
    if (refused?.kind === 'unchanged' && mayBeThere) return writtenAs(planned, record!)
    if (refused !== undefined) return refused
    const before = JSON.stringify(record)
    const body = JSON.stringify(withChanges(record!, planned.changes, run.known))
    if (before !== keptAs && !(await run.keep(planned, attempt, { before, sent: body })))
      return TAKEN_OVER
    keptAs = before
    if (run.now() - readAtMs > FRESH_FOR_MS) continue
    sent()
    return put(run, planned, body)
  }
  return { kind: 'not taken', why: 'the record changed each time before it could be written' }
}

async function put(run: StoreRun, planned: Operation, body: string): Promise<Outcome | undefined> {
  const { entity, targetId } = planned
  const request = () => putRecord(run.store.client, entity, { id: targetId!, body })
  try {
    await (canBeRead(entity) ? request() : run.store.governor.run(request))
    return undefined
  } catch (error) {
    if (isGone(error)) return { kind: 'stale', why: 'the record no longer exists (404)' }
    throw error
  }
}

const writtenAs = ({ targetId }: Operation, after: JsonRecord): Outcome => ({
  kind: 'confirmed',
  facts: { after: JSON.stringify(after), targetId },
})

function judge(
  run: StoreRun,
  planned: Operation,
  record: JsonRecord | undefined,
): Outcome | undefined {
  if (record === undefined || isDeleted(record))
    return { kind: 'stale', why: 'the record no longer exists' }
  if (isAsPlanned(record, planned.changes, run.known)) return { kind: 'unchanged' }
  if (modifiedOf(record) !== planned.base!.modified)
    return { kind: 'stale', why: `it was modified since the plan was made (${modifiedOf(record)})` }
  if (contentHash(record) !== planned.base!.hash)
    return { kind: 'stale', why: 'its content is not what the plan saw' }
  return undefined
}

/** What the API shows of what it has taken is what counts, whatever it answered. */
export async function readAgain(run: StoreRun, planned: Operation): Promise<Outcome> {
  const found = await readTaken(run, planned)
  if (found.kind === 'found') return { kind: 'confirmed', facts: found.facts }
  const { why } = found
  // It was written all the same, so it has a receipt, and undo knows of it.
  if (found.kind === 'otherwise') return { kind: 'rejected', why, facts: found.facts }
  return { kind: 'unknown', why }
}

/**
 * How the API shows what it has taken. It may show that late: while the record is as it was, by its
 * content and by when it was changed, that is no word on the write, and nothing is sent again.
 */
async function readTaken(
  run: StoreRun,
  planned: Operation,
): Promise<Exclude<LookUpOutcome, { kind: 'absent' }>> {
  try {
    const after = await readTarget(run, planned)
    if (after === undefined || isDeleted(after))
      return { kind: 'unclear', why: 'it was taken, and the record is not there' }
    const facts = { after: JSON.stringify(after), targetId: planned.targetId }
    const wrong = differences(after, planned.changes, run.known)
    if (wrong.length === 0) return { kind: 'found', facts }
    const isFormer =
      contentHash(after) === planned.base?.hash && modifiedOf(after) === planned.base.modified
    if (isFormer)
      return {
        kind: 'unclear',
        why: `the API took it, and still shows the former ${wrong.join(', ')}`,
      }
    const why = `the API took it, and shows something else in ${wrong.join(', ')}`
    return { kind: 'otherwise', why, facts, mayStillCome: false }
  } catch (error) {
    const { why, ...unclear } = unread(error)
    return { ...unclear, why: `it was taken, and could not be read again: ${why}` }
  }
}

/** What could not be read, and how long the API asked to be left alone; throws anything else. */
export const unread = (error: unknown): Unclear => {
  if (!isUnread(error)) throw error
  const { code, message, retryAfterMs } = error
  return { kind: 'unclear', why: `${code}: ${message}`, retryAfterMs }
}

async function searchUpdate(run: StoreRun, planned: Operation): Promise<LookUpOutcome> {
  try {
    const record = await readTarget(run, planned)
    if (record === undefined || isDeleted(record))
      return { kind: 'unclear', why: 'the record no longer exists' }
    if (isAsPlanned(record, planned.changes, run.known))
      return {
        kind: 'found',
        facts: { after: JSON.stringify(record), targetId: planned.targetId },
      }
    return contentHash(record) === planned.base!.hash
      ? { kind: 'absent', why: 'the record still shows what it had before' }
      : { kind: 'unclear', why: 'somebody has edited the record since' }
  } catch (error) {
    return unread(error)
  }
}

const isGone = (error: unknown): boolean =>
  error instanceof PartnerError && [404, 410].includes(error.refused?.status ?? 0)
