import type Database from 'better-sqlite3'
import { literal } from '../../../../connectors/sqlite/connection/sql-text.ts'
import type { Columns, Stream } from '../../../../connectors/stream.ts'

/**
 * An oracle: conditions, as SQL on a record `p.value`, that are true where an object that holds
 * declared fields has a key twice: the record itself, what is nested in it, its lines, and whatever
 * stands inside a column that is kept as JSON.
 */
export function duplicateKeys(stream: Stream): string[] {
  const lists = Object.values(stream.children)
  const nested = new Set([
    ...objectsOf(stream.columns),
    ...lists.flatMap(({ path }) => parentsOf(path)),
  ])
  return [
    ...[...nested].map(path => hasDuplicates('p.value', path)),
    ...jsonOf(stream.columns).map(path => hasDuplicatesWithin('p.value', path)),
    ...lists.map(({ path, columns }) => {
      const inLine = [
        ...objectsOf(columns).map(object => hasDuplicates('line.value', object)),
        ...jsonOf(columns).map(column => hasDuplicatesWithin('line.value', column)),
      ]
      return `EXISTS (
        SELECT 1 FROM jsonb_each(p.value, ${literal(`$.${path}`)}) line
        WHERE line.type = 'object' AND (${inLine.join(' OR ')}))`
    }),
  ]
}

/**
 * `count(key)`: where the path holds no object, such as null, SQLite answers one row without a key.
 */
const hasDuplicates = (value: string, path: string): string =>
  `(SELECT count(key) <> count(DISTINCT key) FROM jsonb_each(${value}, ${literal(path)}))`

/** The same at any depth, of what no declaration describes. */
const hasDuplicatesWithin = (value: string, path: string): string =>
  `coalesce(has_key_twice(${value} -> ${literal(path)}), 0)`

const jsonOf = (columns: Columns): string[] =>
  Object.values(columns)
    .filter(({ kind }) => kind === 'json')
    .map(({ path }) => `$.${path}`)

/** The objects that hold these columns, as JSON paths; the record itself is `$`. */
const objectsOf = (columns: Columns): string[] => [
  ...new Set(['$', ...Object.values(columns).flatMap(({ path }) => parentsOf(path))]),
]

/** `cart.discounts.total` lies in `$`, `$.cart` and `$.cart.discounts`. */
function parentsOf(path: string): string[] {
  const names = path.split('.')
  return names.map((_, depth) => ['$', ...names.slice(0, depth)].join('.'))
}

/** Gives a connection `has_key_twice(json)`: 1 where any object in it has a key twice. */
export const addKeyFunction = (database: Database.Database): void =>
  void database.function('has_key_twice', { deterministic: true }, (json: unknown) =>
    hasKeyTwice(String(json)) ? 1 : 0,
  )

/** `JSON.parse` keeps one of two keys; each key has a colon. */
const hasKeyTwice = (json: string): boolean => countKeys(JSON.parse(json)) !== countColons(json)

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const inner = Object.values(value)
  return inner.reduce<number>(
    (sum, one) => sum + countKeys(one),
    Array.isArray(value) ? 0 : inner.length,
  )
}

const [QUOTE, BACKSLASH, COLON] = [34, 92, 58]

/** Outside of texts. */
function countColons(json: string): number {
  let colons = 0
  let isText = false
  for (let index = 0; index < json.length; index++) {
    const code = json.charCodeAt(index)
    if (code === QUOTE) isText = !isText
    else if (isText && code === BACKSLASH) index++
    else if (!isText && code === COLON) colons++
  }
  return colons
}
