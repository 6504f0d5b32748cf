import { toIso } from '../../calendar/days.ts'
import type { StoredCell } from '../../connectors/destination/snapshot.ts'
import type { DatasetColumn } from '../dataset.ts'

/** A cell as text: numbers in their own digits, times as ISO 8601, nothing as nothing. */
export function cellText({ kind }: Pick<DatasetColumn, 'kind'>, cell: StoredCell): string | null {
  if (cell === null) return null
  if (kind === 'timestamp') return toIso(Number(cell))
  if (kind === 'boolean') return cell === 1 ? 'true' : 'false'
  return String(cell)
}
