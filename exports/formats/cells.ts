import type { StoredCell } from '../../connectors/destination/snapshot.ts'
import type { DatasetColumn } from '../dataset.ts'

/** ISO 8601 in UTC with milliseconds. */
export function isoUtc(ms: number): string {
  return new Date(ms).toISOString()
}

/** A cell as text: numbers in their own digits, times as ISO 8601, nothing as nothing. */
export function cellText({ kind }: Pick<DatasetColumn, 'kind'>, cell: StoredCell): string | null {
  if (cell === null) return null
  if (kind === 'timestamp') return isoUtc(Number(cell))
  if (kind === 'boolean') return cell === 1 ? 'true' : 'false'
  return String(cell)
}
