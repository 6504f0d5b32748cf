import type { SeenRow } from './read-rows.ts'

type SortKey = (row: SeenRow) => string | number | null
const SORT_KEYS: readonly (readonly [string, SortKey])[] = [
  ['modified', row => row.modified],
  ['created', row => row.created],
  ['id', row => row.id],
]

/**
 * The order that the rows of a list show themselves, or undefined. `seams` are the ranks at which
 * pages overlap: equal keys across one must be in order of id.
 */
export function orderOf(rows: readonly SeenRow[], seams: readonly number[]): string | undefined {
  for (const [name, key] of SORT_KEYS) {
    for (const direction of ['descending', 'ascending'] as const) {
      const sign = direction === 'ascending' ? 1 : -1
      const isSorted = rows.every(
        (row, rank) => rank === 0 || compare(key(rows[rank - 1]!), key(row)) * sign <= 0,
      )
      if (isSorted && tiesAreInOrder(rows, seams, key)) return `${name} ${direction}`
    }
  }
  return undefined
}

/** NaN where a key is missing: such rows are in no order. */
function compare(a: string | number | null, b: string | number | null): number {
  if (a === null || b === null) return Number.NaN
  if (a === b) return 0
  return a < b ? -1 : 1
}

function tiesAreInOrder(rows: readonly SeenRow[], seams: readonly number[], key: SortKey): boolean {
  const directions = new Set<number>()
  for (const rank of seams) {
    const [before, seam, after] = [rows[rank - 1], rows[rank], rows[rank + 1]]
    if (before === undefined || seam === undefined || after === undefined) continue
    if (key(before) !== key(seam) || key(seam) !== key(after)) continue
    directions.add(compare(before.id, seam.id))
    directions.add(compare(seam.id, after.id))
  }
  return directions.size <= 1
}
