import { PartnerError } from '../../errors.ts'
import type { LookUpOutcome, Outcome } from '../../outbound/outcome.ts'
import { SENT_BY_ANOTHER, TAKEN_OVER } from '../../outbound/outcome.ts'
import type { SendRules, Write } from '../../outbound/sending.ts'
import { parseExact } from '../../text/exact-json.ts'
import type { JsonRecord } from '../../text/exact-json.ts'
import { getProductBySku, postRecord } from '../api.ts'
import { skuKey } from '../input/rows.ts'
import { idOf, isDeleted, otherKey, sameText, textField } from '../live.ts'
import type { LiveList } from '../live.ts'
import type { Operation } from '../operation.ts'
import { readList } from '../read-list.ts'
import { differences, isAsPlanned, withChanges } from './body.ts'
import { provideImages } from './provide-images.ts'
import { NEVER } from './store-run.ts'
import type { StoreRun } from './store-run.ts'
import { inTurn, readAgain, sendOnce, unread } from './write-update.ts'

/** A record that is created twice cannot be taken back: what stays unclear is left to a person. */
export const CREATION_RULES: SendRules = {
  patienceMs: 32_000,
  firstPauseMs: 500,
  longestPauseMs: 8_000,
  whenAbsent: 'park',
  mostSends: 10,
}

interface SentBefore {
  /** What goes out was written down before, so an earlier attempt may have sent it. */
  wasSent: boolean
  /** It may have been sent after the backup was made out of which this database comes. */
  mayBeElsewhere: boolean
}

/** `POST` of one record: looked for, sent once, read again by the id that the API gave it. */
export function writeCreation(run: StoreRun, planned: Operation, before: SentBefore): Write {
  let isSent = before.wasSent
  return {
    async send(attempt) {
      const withoutImages = await provideImages(run, planned)
      if (withoutImages !== undefined) return withoutImages
      const listed = await listBefore(run, planned)
      if ('kind' in listed) return listed
      let created: JsonRecord | undefined
      return (
        takenBefore(run, planned, { there: recordsOf(listed, planned), isSent }) ??
        (await sendOnce(inTurn(run, planned), async sent => {
          const there = await bySku(run, planned)
          if (there !== undefined) return takenBefore(run, planned, { there: [there], isSent })
          const body = JSON.stringify(withChanges({}, planned.changes, run.known))
          if (!(await run.keep(planned, attempt, { before: 'null', sent: body }))) return TAKEN_OVER
          isSent = true
          sent()
          run.creates(planned)
          created = await postRecord(run.store.client, planned.entity, body)
          return undefined
        })) ??
        (await readCreated(run, planned, { targetId: idOf(created!), listed }))
      )
    },
    // Whether it is there without having been sent, the sending finds out.
    async search() {
      if (!isSent && !before.mayBeElsewhere) return { kind: 'absent', wasNeverSent: true }
      const found = await searchCreation(run, planned)
      if (isSent || found.kind !== 'found') return found
      // Its receipt is with whoever sent it.
      return { kind: 'found', facts: { targetId: found.facts['targetId'] } }
    },
  }
}

/** The whole list before it is sent, or why there is none. */
async function listBefore(run: StoreRun, planned: Operation): Promise<LiveList | Outcome> {
  try {
    return await run.listBefore(planned)
  } catch (error) {
    return { ...unread(error), kind: 'not taken' }
  }
}

/**
 * What the API says that it has created. It may answer with a record that it takes for the same:
 * one that was there before, or that has other keys, is not ours to undo, and ours is searched for.
 */
async function readCreated(
  run: StoreRun,
  planned: Operation,
  { targetId, listed }: { targetId: string; listed: LiveList },
): Promise<Outcome> {
  const unknown = (why: string): Outcome => ({
    kind: 'unknown',
    why: `the API answered with ${targetId}, which ${why}`,
  })
  if (listed.byId.has(targetId)) return unknown('was there before')
  const shown = await readAgain(run, { ...planned, targetId })
  const after = 'facts' in shown ? shown.facts?.['after'] : undefined
  if (typeof after !== 'string') return shown
  const key = otherKey(parseExact(after) as JsonRecord, planned)
  return key === undefined ? shown : unknown(`has another ${key}`)
}

/** Its keys in the list, each record once. */
const recordsOf = (list: LiveList, { externalId, sku }: Operation): JsonRecord[] => [
  ...new Set([
    ...list.find('externalId', externalId),
    ...(sku === undefined ? [] : list.find('sku', sku)),
  ]),
]

/**
 * What is there before it is sent: as planned, and under our key, an earlier attempt of ours was
 * taken late, or another copy of this database has sent it. Of the latter there is no receipt here;
 * whoever sent it has that. Anything else is somebody else's.
 */
function takenBefore(
  run: StoreRun,
  planned: Operation,
  { there, isSent }: { there: readonly JsonRecord[]; isSent: boolean },
): Outcome | undefined {
  const [record] = there
  if (record === undefined) return undefined
  const targetId = idOf(record)
  const isOurs = sameText(textField(record, 'externalId'), planned.externalId)
  const wrong = differences(record, planned.changes, run.known)
  if (there.length === 1 && isOurs && wrong.length === 0)
    return isSent
      ? { kind: 'confirmed', facts: { targetId, after: JSON.stringify(record) } }
      : { kind: 'confirmed', facts: { targetId }, note: SENT_BY_ANOTHER }
  const others = there.map(idOf).join(', ')
  const what = wrong.length === 0 ? '' : `, with another ${wrong.join(', ')}`
  return {
    kind: 'stale',
    why: `somebody has created it since the plan was made: ${others}${what}`,
  }
}

async function bySku(run: StoreRun, { sku }: Operation): Promise<JsonRecord | undefined> {
  if (sku === undefined) return undefined
  const record = await getProductBySku(run.store.client, sku, NEVER)
  if (record === undefined || isDeleted(record)) return undefined
  return skuKey(textField(record, 'sku')) === skuKey(sku) ? record : undefined
}

/** The list shows the same, and is read in any case: a look-up that fails decides nothing. */
async function lookUpSku(run: StoreRun, planned: Operation): Promise<JsonRecord | undefined> {
  try {
    return await run.store.governor.run(() => bySku(run, planned))
  } catch (error) {
    if (error instanceof PartnerError) return undefined
    throw error
  }
}

/** "Not there" is only believed of a list that is proven. */
async function searchCreation(run: StoreRun, planned: Operation): Promise<LookUpOutcome> {
  try {
    const record = await lookUpSku(run, planned)
    if (record !== undefined) return judge(run, planned, [record])
    const list = await readList(run.store, run.streams[planned.entity], NEVER)
    return judge(run, planned, recordsOf(list, planned))
  } catch (error) {
    return unread(error)
  }
}

function judge(run: StoreRun, planned: Operation, found: readonly JsonRecord[]): LookUpOutcome {
  const [record] = found
  if (record === undefined) return { kind: 'absent' }
  if (found.length > 1)
    return { kind: 'unclear', why: `${found.length} records have its external id` }
  if (!isAsPlanned(record, planned.changes, run.known))
    return { kind: 'unclear', why: `${idOf(record)} has its keys, and another content` }
  return { kind: 'found', facts: { targetId: idOf(record), after: JSON.stringify(record) } }
}
