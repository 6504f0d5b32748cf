import type { Dependencies } from '../../activities/dependencies.ts'
import { startWithoutFrom } from '../../activities/plan-windows.ts'
import { storeClockOf } from '../../books/store-clock.ts'
import { businessDayStart } from '../../calendar/business-day.ts'
import { addDays, utcDay } from '../../calendar/days.ts'
import type { Config } from '../../config.ts'
import { FIRST_DAYS, lookbackOf } from '../../connectors/destination/lookback.ts'
import { findStream } from '../../connectors/partner/streams/index.ts'
import { UsageError } from '../../errors.ts'
import { NOT_OFFERED } from '../../reading/check-offered.ts'
import type { SyncRequest } from '../../temporal/run-sync.ts'

/** What a sync without `--from` begins with, said before anything is read. */

/** Where nothing was read yet: what is going to be read, and how to ask for more. */
export async function describeFirstRead(
  { destination, now }: Dependencies,
  { stores, streams, from, to }: SyncRequest,
): Promise<string[]> {
  if (from !== undefined) return []
  const dated = streams.filter(name => findStream(name)?.windowing !== 'full-refresh')
  const until = to ?? utcDay(now())
  const firstDay = addDays(until, -FIRST_DAYS)
  const whole = dated.length < streams.length ? ', and every list without dates as a whole' : ''
  const days =
    to === undefined
      ? `the last ${FIRST_DAYS} days, since ${firstDay}`
      : `the ${FIRST_DAYS} days before ${to}, since ${firstDay}`
  const lines = stores.map(async store => {
    const read = await Promise.all(dated.map(name => destination.ledger.windows(store, name)))
    return dated.length > 0 && read.every(rows => rows.length === 0)
      ? [
          `${store}: nothing was read yet, so this reads ${days}${whole}. More: ` +
            `tillage sync --store ${store} --from ${addDays(firstDay, -365)} --to ${firstDay}`,
        ]
      : []
  })
  return (await Promise.all(lines)).flat()
}

/**
 * A sync without `--from` goes on from where each list stands. Throws a UsageError where `--to`
 * lies before that for all of them: nothing would be read, and it would look as if it had been.
 */
export async function rejectEmptyRange(
  dependencies: Dependencies,
  config: Config,
  { stores, streams, from, to }: SyncRequest,
): Promise<void> {
  if (from !== undefined || to === undefined) return
  const asked = stores.flatMap(store =>
    streams.map(name => startOf(dependencies, config, { store, name, to })),
  )
  const starts = (await Promise.all(asked)).filter(start => start !== undefined)
  const earliest = starts.toSorted((one, other) => one.startMs - other.startMs)[0]
  if (earliest === undefined || earliest.startMs <= earliest.endMs) return
  const { store, name, startMs } = earliest
  const others = starts.length > 1 ? ', and with everything else from later on' : ''
  throw new UsageError(
    `--to ${to} without --from reads nothing: it would go on with ${name} of ${store} ` +
      `from ${utcDay(startMs)}${others}`,
    `Say where to begin, and add --again to read also what is proven already: ` +
      `tillage sync --from ${addDays(to, -FIRST_DAYS)} --to ${to}`,
  )
}

/** Where a list of a store would be read from, and until when; undefined: it was never there. */
async function startOf(
  { destination, now }: Dependencies,
  config: Config,
  { store, name, to }: { store: string; name: string; to: string },
): Promise<{ store: string; name: string; startMs: number; endMs: number } | undefined> {
  const { findings, ledger, stores } = destination
  const timeZone = (await stores.find(store))?.timeZone ?? 'UTC'
  const endMs = Math.min(businessDayStart(to, storeClockOf(config, store, timeZone)), now())
  const rows = await ledger.windows(store, name)
  const found = await findings.of(store, name)
  if (rows.length === 0 && found.some(({ code }) => code === NOT_OFFERED)) return undefined
  const lookbackMs = lookbackOf(findStream(name)!, await ledger.lateness(store, name), now())
  return { store, name, startMs: startWithoutFrom(rows, lookbackMs, endMs), endMs }
}
