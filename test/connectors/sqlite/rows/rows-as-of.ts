import { saysDeleted } from '../../../../connectors/stream.ts'
import type { Stream } from '../../../../connectors/stream.ts'

/**
 * The public view as it was after batch `@batch`, made from the kept versions alone, as a query for
 * `(...)`: records that came later are not in it, and those that changed later are as they were.
 * For records whose values are spelled as their columns hold them.
 */
export function rowsAsOf(stream: Stream): string {
  const valueOf = (name: string): string =>
    name === 'id' ? 'v.id' : `v.raw ->> '$.${stream.columns[name]!.path}'`
  const said = saysDeleted(stream) ? valueOf('deleted') : 'NULL'
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
