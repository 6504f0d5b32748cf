import type { Columns, Stream } from '../stream.ts'
import { literal } from './sql-text.ts'

/**
 * Conditions, as SQL on a record `p.value`, that are true where an object that holds declared fields
 * has a key twice: the record itself, what is nested in it, and its lines.
 */
export function duplicateKeys(stream: Stream): string[] {
  const lists = Object.values(stream.children)
  const nested = new Set([
    ...objectsOf(stream.columns),
    ...lists.flatMap(({ path }) => parentsOf(path)),
  ])
  return [
    ...[...nested].map(path => hasDuplicates('p.value', path)),
    ...lists.map(({ path, columns }) => {
      const inLine = objectsOf(columns).map(object => hasDuplicates('line.value', object))
      return `EXISTS (
        SELECT 1 FROM jsonb_each(p.value, ${literal(`$.${path}`)}) line
        WHERE line.type = 'object' AND (${inLine.join(' OR ')}))`
    }),
  ]
}

/** `count(key)`: where the path holds no object, such as null, SQLite answers one row without a key. */
const hasDuplicates = (value: string, path: string): string =>
  `(SELECT count(key) <> count(DISTINCT key) FROM jsonb_each(${value}, ${literal(path)}))`

/** The objects that hold these columns, as JSON paths; the record itself is `$`. */
const objectsOf = (columns: Columns): string[] => [
  ...new Set(['$', ...Object.values(columns).flatMap(({ path }) => parentsOf(path))]),
]

/** `cart.discounts.total` lies in `$`, `$.cart` and `$.cart.discounts`. */
function parentsOf(path: string): string[] {
  const names = path.split('.')
  return names.map((_, depth) => ['$', ...names.slice(0, depth)].join('.'))
}

/** Where a record has keys twice, for the reason of its dead letter: `$.cart total`. */
export const DUPLICATES = `
  SELECT path || '.' || key FROM json_tree(?) WHERE typeof(key) = 'text'
  GROUP BY parent, key HAVING count(*) > 1 ORDER BY 1`
