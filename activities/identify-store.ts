import { toIso } from '../calendar/days.ts'
import type { KnownStore } from '../connectors/destination/stores.ts'
import { NOTABLE_SKEW_MS } from '../connectors/partner/api-clock.ts'
import { parseStoreInfo, STORE_PATH } from '../connectors/partner/store-info.ts'
import type { StoreInfo } from '../connectors/partner/store-info.ts'
import { PartnerError, TillageError } from '../errors.ts'
import { describeSkew, skewFact } from '../reading/api-time.ts'
import type { Dependencies, Store } from './dependencies.ts'

export interface StoreIdentity {
  timeZone: string
}

/**
 * The first request of a run: proves that address and keys work before any window is planned,
 * learns the store's zone, and refuses a key that belongs to another store than the rows in the
 * database.
 */
export async function identifyStore(
  dependencies: Dependencies,
  { store: id }: { store: string },
  signal: AbortSignal,
): Promise<StoreIdentity> {
  const { destination, now } = dependencies
  const store = dependencies.store(id)
  const answered = await askStore(store, signal)
  await keepClockSkew(dependencies, id)
  const known = await destination.stores.find(id)
  refuseOtherStore(store.settings, answered)
  if (known !== undefined) refuseChangedStore(known, answered)
  const timeZone = store.settings.timeZone ?? answered.timeZone ?? known?.timeZone
  if (timeZone === undefined) {
    throw new TillageError('STORE_UNKNOWN', `the API does not say in which time zone ${id} is`, {
      remedy: 'Add timeZone: (like America/Los_Angeles) to this store in tillage.yaml.',
    })
  }
  const { companyId, shopId, name } = answered
  await destination.stores.keep({ id, companyId, shopId, name, timeZone, checkedAt: toIso(now()) })
  return { timeZone }
}

/** Keeps how far this machine's clock is from the API's, and notes what is more than minutes. */
async function keepClockSkew({ destination, store, now }: Dependencies, id: string): Promise<void> {
  const skewMs = store(id).client.clock.skewMs()
  const fact = skewFact(skewMs)
  if (skewMs === undefined || fact === undefined) return
  const readAt = toIso(now())
  await destination.behaviours.keep(id, [{ ...fact, seenAt: readAt }])
  if (Math.abs(skewMs) <= NOTABLE_SKEW_MS) return
  await destination.findings.note({
    id: `${id}/clock_skew`,
    store: id,
    stream: '',
    code: 'clock_skew',
    detail: `the clock of this machine is ${describeSkew(skewMs)}`,
    readAt,
  })
}

/**
 * A key may be the right kind of key for the wrong shop; the configuration may say whose it must
 * be.
 */
export function refuseOtherStore(
  configured: { id: string; companyId?: string | undefined; shopId?: string | undefined },
  answered: StoreInfo,
): void {
  for (const field of ['companyId', 'shopId'] as const) {
    if (configured[field] === undefined || configured[field] === answered[field]) continue
    throw new TillageError(
      'STORE_UNKNOWN',
      `the developer key of ${configured.id} stands for ${field} ${answered[field] ?? 'that the API does not name'}, and tillage.yaml says ${configured[field]}`,
      {
        remedy: `Put in the key of this store, or correct ${field} in tillage.yaml.`,
      },
    )
  }
}

/** The rows in the database are those of the company and shop that answered before. */
function refuseChangedStore(known: KnownStore, answered: StoreInfo): void {
  for (const [noun, before, today] of [
    ['company', known.companyId, answered.companyId],
    ['shop', known.shopId, answered.shopId],
  ] as const) {
    if (before === undefined || today === undefined || today === before) continue
    throw new TillageError(
      'STORE_UNKNOWN',
      `the developer key of ${known.id} now answers for another ${noun} (${today}) than the rows in the database (${before})`,
      {
        remedy:
          'Put back the key of this store, or give the other store an id and a database of its own.',
      },
    )
  }
}

async function askStore({ governor, client }: Store, signal: AbortSignal): Promise<StoreInfo> {
  try {
    const answer = await governor.run(() => client.get(STORE_PATH, {}, signal))
    return parseStoreInfo(answer.toString('utf8'))
  } catch (error) {
    // A server without this endpoint may still have the lists; reading them will show that.
    if (error instanceof PartnerError && error.code === 'PARTNER_REFUSED') return {}
    throw error
  }
}
