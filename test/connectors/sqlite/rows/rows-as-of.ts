import { extractOrNull } from '../../../../connectors/sqlite/connection/sql-text.ts'
import { saysDeleted } from '../../../../connectors/stream.ts'
import type { Stream } from '../../../../connectors/stream.ts'

/**
 * The public view as it was after batch `@batch`, made from the kept versions alone, as a query for
 * `(...)`: records that came later are not in it, and those that changed later are as they were.
 */
export function rowsAsOf(stream: Stream): string {
  const said = saysDeleted(stream) ? extractOrNull(stream.columns['deleted']!, 'v.raw') : 'NULL'
  const valueOf = (name: string): string =>
    name === 'id' ? 'v.id' : extractOrNull(stream.columns[name]!, 'v.raw')
  const columns = Object.keys(stream.columns).map(name =>
    name === 'deleted'
      ? `CASE WHEN v.gone_at IS NULL THEN ${said} ELSE 1 END AS "deleted"`
      : `${valueOf(name)} AS "${name}"`,
  )
  return `
    SELECT
      v.store_id,
      ${columns.join(', ')},
      CASE WHEN v.gone_at IS NOT NULL THEN 'absent' WHEN ${said} = 1 THEN 'said' END
        AS deleted_because,
      v.raw
    FROM ${stream.name}_versions v
    WHERE v.from_batch <= @batch AND (v.to_batch IS NULL OR v.to_batch > @batch)`
}
