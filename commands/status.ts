import type { BooksPlace } from '../books/books-place.ts'
import { openReadOnly } from '../connectors/database.ts'
import { keptPace } from '../connectors/partner/pace.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { placeOf } from '../connectors/server-address.ts'
import { needsSomebody } from '../standing/notice.ts'
import type { StoreStanding } from '../standing/read-store.ts'
import { chooseReadStores } from './arguments/choices.ts'
import { declareCommand, option } from './command.ts'
import type { Context } from './command.ts'
import { bringOrSay } from './database/bring-or-say.ts'
import { readOutbound } from './plans/with-outbound.ts'
import { describeStatus, statusAsJson } from './status/describe-status.ts'
import type { Status, StoreStatus } from './status/describe-status.ts'
import { noticesOf, readEverything } from './status/read-everything.ts'
import { askWorker } from './status/worker-is-up.ts'

interface StatusOptions {
  store?: string
  all?: boolean
}

/**
 * `tillage status`: one line for each store with what needs attention first; each stream with
 * `--store` or `--all`. 3 if something needs somebody: not proven, dead-lettered or parked, due and
 * not done, booked and changed, or waiting for a person, a worker or a restart.
 */
async function status({ config, terminal }: Context, options: StatusOptions): Promise<number> {
  await using database = await openReadOnly(config, streams)
  await bringOrSay(config, database, terminal)
  const worker = await askWorker(config, database.identity)
  const nowMs = Date.now()
  const chosen = await chooseReadStores(config, database, options.store)
  const stores = options.store === undefined ? undefined : chosen
  const everything = await readOutbound(config, terminal, outbound =>
    readEverything({ config, database, outbound }, { nowMs, worker, stores }),
  )
  const freshness = await database.freshness()
  const whole: Status = {
    database: placeOf(config.database),
    worker,
    installation: everything.installation,
    stores: await Promise.all(everything.stores.map(one => withPace({ database }, one))),
    due: everything.due.filter(line => chosen.includes(line.store)),
    freshness: freshness.filter(({ store }) => chosen.includes(store)),
    nowMs,
  }
  const everyStream = options.all === true || options.store !== undefined
  terminal.print(terminal.json ? statusAsJson(whole) : describeStatus(whole, everyStream))
  return needsSomebody(noticesOf(everything)) ? 3 : 0
}

/** What its API was found to let through, where it refused more. */
async function withPace(
  { database }: Pick<BooksPlace, 'database'>,
  standing: StoreStanding,
): Promise<StoreStatus> {
  const pace = keptPace(await database.behaviours.of(standing.store))
  const found = pace && { perSecond: Number(pace.value), foundAt: pace.seenAt }
  return { ...standing, pace: found ?? null }
}

export const command = declareCommand({
  options: [option('--all', 'every stream of every store')],
  notes:
    'With --store, every stream of that store, ' +
    'also of one that left tillage.yaml while its data is here.',
  run: status,
})
