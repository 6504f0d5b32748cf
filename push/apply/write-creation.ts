import { PartnerError } from '../../errors.ts'
import type { LookUpOutcome, Outcome } from '../../outbound/outcome.ts'
import { TAKEN_OVER } from '../../outbound/outcome.ts'
import type { SendRules, Write } from '../../outbound/sending.ts'
import { getProductBySku, postRecord } from '../api.ts'
import type { JsonRecord } from '../exact-json.ts'
import { skuKey } from '../input/rows.ts'
import { idOf, textField } from '../live.ts'
import type { Operation } from '../operation.ts'
import { readList } from '../read-list.ts'
import { isAsPlanned, withChanges } from './body.ts'
import { provideImages } from './provide-images.ts'
import type { StoreRun } from './store-run.ts'
import { existsAlready } from './store-run.ts'
import { inTurn, readAgain, sendOnce, whyOf } from './write-update.ts'

/** A record that is created twice cannot be taken back: what stays unclear is left to a person. */
export const CREATION_RULES: SendRules = {
  patienceMs: 32_000,
  firstPauseMs: 500,
  longestPauseMs: 8_000,
  whenAbsent: 'park',
  mostSends: 10,
}

const NEVER = new AbortController().signal

/**
 * `POST` of one record: looked for, sent once, read again by the id that the API gave it.
 * `wasSent`: what goes out was written down before, so an earlier attempt may have sent it.
 */
export function writeCreation(run: StoreRun, planned: Operation, wasSent: boolean): Write {
  let isSent = wasSent
  return {
    async send(attempt) {
      let created: JsonRecord | undefined
      return (
        (await provideImages(run, planned)) ??
        (await run.refuseExisting(planned)) ??
        (await sendOnce(inTurn(run, planned), async sent => {
          const there = await alreadyThere(run, planned)
          if (there !== undefined) return there
          const body = JSON.stringify(withChanges({}, planned.changes, run.known))
          if (!(await run.keep(planned, attempt, { before: 'null', sent: body }))) return TAKEN_OVER
          isSent = true
          sent()
          created = await postRecord(run.store.client, planned.entity, body)
          return undefined
        })) ??
        (await readAgain(run, { ...planned, targetId: idOf(created!) }))
      )
    },
    // What is there without having been sent is somebody else's.
    search: async () =>
      isSent ? searchCreation(run, planned) : { kind: 'absent', wasNeverSent: true },
  }
}

/** Somebody may have created it since the plan was made. */
async function alreadyThere(run: StoreRun, planned: Operation): Promise<Outcome | undefined> {
  const record = await bySku(run, planned)
  return record === undefined ? undefined : existsAlready(idOf(record))
}

async function bySku(run: StoreRun, { sku }: Operation): Promise<JsonRecord | undefined> {
  if (sku === undefined) return undefined
  const record = await getProductBySku(run.store.client, sku, NEVER)
  return record !== undefined && skuKey(textField(record, 'sku')) === skuKey(sku)
    ? record
    : undefined
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
    const found = [
      ...list.find('externalId', planned.externalId),
      ...(planned.sku === undefined ? [] : list.find('sku', planned.sku)),
    ]
    return judge(run, planned, [...new Set(found)])
  } catch (error) {
    return { kind: 'unclear', why: whyOf(error) }
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
