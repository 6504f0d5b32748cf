import { UsageError } from '../../../errors.ts'
import type { Stream } from '../../stream.ts'
import type { Act } from '../audit-chain.ts'
import { appendAct } from '../audit-log.ts'
import type { ZoneChange } from '../by-hand.ts'
import { all, first, run } from '../steps.ts'
import type { Steps } from '../steps.ts'
import type { UpkeepDialect } from './upkeep-dialect.ts'

/**
 * Gives a store another zone, with its entry in the audit log, both or neither; inside a
 * transaction. A dry run only reads. Fails where the store is not in the database.
 */
export function* changeZone(
  { lastAuditNumberSql }: Pick<UpkeepDialect, 'lastAuditNumberSql'>,
  { dryRun, ...wanted }: { store: string; zone: string; dryRun: boolean },
  streams: readonly Stream[],
  actOf: (change: ZoneChange) => Act,
): Steps<ZoneChange> {
  const change = yield* readZones(wanted, streams)
  if (dryRun) return change
  yield* applyZone(change)
  yield* appendAct(actOf(change), lastAuditNumberSql)
  return change
}

function* readZones(
  { store, zone }: { store: string; zone: string },
  streams: readonly Stream[],
): Steps<ZoneChange> {
  const known = yield* first<{ was: string }>(
    'SELECT time_zone AS was FROM stores WHERE store_id = @store',
    { store },
  )
  if (known === undefined)
    throw new UsageError(`there is no store ${store} in the database`, 'tillage store list')
  const windows: ZoneChange['windows'] = []
  for (const { name } of streams.filter(({ windowing }) => windowing === 'days'))
    windows.push(...(yield* all<ZoneChange['windows'][number]>(PROVEN, { store, stream: name })))
  const booked = yield* first<{ days: number }>(BOOKED_DAYS, { store })
  return { store, was: known.was, zone, windows, bookedDays: booked!.days }
}

const PROVEN = `
  SELECT stream, count(*) AS windows, min(window_start) AS "from", max(window_end) AS "to"
  FROM windows WHERE store_id = @store AND stream = @stream AND status = 'proven' GROUP BY stream`

const BOOKED_DAYS = `
  SELECT count(*) AS days FROM (
    SELECT day FROM booked_days WHERE store_id = @store
    UNION SELECT day FROM journal_entries WHERE store_id = @store
  ) AS booked`

/** Rows stay: what a reading finds the same is not touched. */
function* applyZone({ store, zone, was, windows }: ZoneChange): Steps<void> {
  yield* run('UPDATE stores SET time_zone = @zone WHERE store_id = @store', { zone, store })
  const evidence = JSON.stringify({
    reason: 'STORE_ZONE',
    detail: `read as of ${was}; the zone is ${zone}`,
  })
  for (const { stream } of windows)
    yield* run(
      `UPDATE windows SET status = 'unproven', evidence = @evidence
       WHERE store_id = @store AND stream = @stream`,
      { evidence, store, stream },
    )
}
