/**
 * What a stream is. A stream is declared once, in `connectors/partner/streams/`; validation,
 * tables, merge, Parquet schema, CSV header, windows, CLI choices and the standard tests all derive
 * from the declaration.
 */
/**
 * - `decimal` keeps the digits of the JSON token as text (INV-6); `timestamp` is epoch
 *   milliseconds; `json` is the value's own JSON text (lists and
 *   objects that have no table of their own).
 */
export type ColumnKind = 'text' | 'integer' | 'decimal' | 'timestamp' | 'boolean' | 'json'

/**
 * What a timestamp may be: the years 1 to 9999. Seconds and days since 1970 are inside and look
 * like 1970; microseconds, nanoseconds and what stands for "never" are outside.
 */
export const FIRST_TIMESTAMP_MS = Date.parse('0001-01-01T00:00:00Z')
export const LAST_TIMESTAMP_MS = Date.parse('9999-12-31T23:59:59.999Z')

/** What a decimal may be: more characters, or a larger exponent, is no amount of anything. */
export const MAX_DECIMAL_LENGTH = 100
export const MAX_DECIMAL_EXPONENT = 100

export interface Column {
  kind: ColumnKind
  /** Place in the record, as a path of documented field names: `cart.total`. */
  path: string
  /**
   * `person`: tells who somebody is. Kept in the database, left out of exports unless asked for
   * (INV-10).
   */
  privacy?: 'person'
}

export type Columns = Readonly<Record<string, Column>>

/**
 * A list inside the record that has a table of its own, keyed by the parent's key and `line_no`
 * (from 1).
 */
export interface ChildTable {
  path: string
  columns: Columns
}

/**
 * How the endpoint takes dates: store days as `MM/dd/yyyy`, epoch milliseconds, or not at all: then
 * every read takes the whole list.
 */
export type Windowing = 'days' | 'milliseconds' | 'full-refresh'

export type OffsetParameter = 'start' | 'skip'

export interface Stream {
  /** Table, CLI and file name: snake_case plural. */
  name: string
  /** What it holds, in the words of the people who use it. */
  title: string
  /**
   * List endpoint, relative to the base URL. The parameter in its braces is where `parent` puts its
   * value.
   */
  path: string
  /** Fields that together are the key of records without an `id`. */
  key?: readonly string[]
  /**
   * `complete`: the documentation says that the list comes whole, without pages. `record`: the
   * answer is one record, in this field, with others beside it.
   */
  answers?: 'complete' | { record: string }
  /**
   * Such a list exists for each value of a column of another stream: it goes into the path, or into
   * this parameter. Read only when it is asked for by name. `field` is the record's own that holds
   * the value: without it, nothing tells which list a row is missing from, and none is ever marked
   * as gone.
   */
  parent?: { stream: string; column: string; parameter?: string; field?: string }
  /**
   * Not every API, and not every partner key, has it: where nobody asked for it by name, a refusal
   * is a finding and no failure.
   */
  optional?: true
  /** Entries of the list that are null are rows without anything in them, and no error. */
  mayHoldNulls?: true
  windowing: Windowing
  offset: OffsetParameter
  /** Largest page the documentation promises. What the server really gives is learned. */
  pageCap: number
  /** The field that the date filter uses; the newest wins in a merge. */
  cursor: 'modified'
  /**
   * A row belongs to a window if one of these lies in it (else INV-4). Paths of epoch millisecond
   * fields.
   */
  eventTimes: readonly string[]
  /**
   * Where records belong to a business day: the times that say when, the first that is there
   * counts. Such a stream is what the books are made of; its exports go by business day instead of
   * by cursor.
   */
  bookedAt?: readonly string[]
  /**
   * Where the API answers one record: `{id}` in the path, or the id as this query parameter of a
   * list.
   */
  lookup?: { path: string; query?: string }
  /** Types of the API's events that say that a record of it was made or changed. */
  events?: readonly string[]
  /**
   * By what people call a record besides its id: paths of text fields, as the number on a receipt.
   * Nothing that tells who somebody is.
   */
  knownBy?: readonly string[]
  /** How far each run re-reads behind the watermark at least, for late and edited records. */
  lookbackDays: number
  /** The `shopId` of a record is the shop that it is of, so it is the one that is read. */
  ofShop?: true
  columns: Columns
  children: Readonly<Record<string, ChildTable>>
  /** One of the parent's name, for the child's key: `transaction` -> `transaction_id`. */
  singular: string
}

/** Whether the API itself says of a record that it is deleted. */
export const saysDeleted = (stream: Pick<Stream, 'columns'>): boolean =>
  stream.columns['deleted']?.kind === 'boolean'

/** `maxThc` -> `max_thc`, `parentPOId` -> `parent_po_id`, `cart.total` -> `cart_total`. */
export function columnName(path: string): string {
  return path
    .replaceAll('.', '_')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
}

const columnsOf =
  (kind: ColumnKind, privacy?: 'person') =>
  (...paths: string[]): Columns =>
    Object.fromEntries(
      paths.map(path => [
        columnName(path),
        privacy === undefined ? { kind, path } : { kind, path, privacy },
      ]),
    )

/** Columns of one kind, named after their documented fields. */
export const text = columnsOf('text')
export const integer = columnsOf('integer')
export const decimal = columnsOf('decimal')
export const timestamp = columnsOf('timestamp')
export const boolean = columnsOf('boolean')
export const json = columnsOf('json')

/** The same, for fields that tell who somebody is. */
export const person = {
  text: columnsOf('text', 'person'),
  timestamp: columnsOf('timestamp', 'person'),
  json: columnsOf('json', 'person'),
}

/** Columns that every table or view has beside the declared ones. */
const RESERVED = [
  'store_id',
  'raw',
  'line_no',
  'rid',
  'batch',
  'first_batch',
  'gone_at',
  'deleted_at',
  'deleted_because',
]

/**
 * Checks a declaration when the module is loaded, so that a mistake shows up before any request is
 * sent.
 */
export function defineStream(stream: Stream): Stream {
  const problem = findMistakes(stream)[0]
  if (problem !== undefined) throw new Error(`stream ${stream.name}: ${problem}`)
  return Object.freeze(stream)
}

function findMistakes(stream: Stream): string[] {
  const { name, columns, cursor, eventTimes, key, bookedAt, knownBy, children } = stream
  const isTimestamp = (column: string): boolean => columns[column]?.kind === 'timestamp'
  const tables = Object.entries(children).map(([child, spec]) => [child, spec.columns] as const)
  return [
    ...(/^[a-z][a-z_]*$/.test(name)
      ? []
      : ['its name is not snake_case: small letters and _, no digits']),
    ...(columns['id']?.kind === 'text' ? [] : ['column id must be text']),
    ...(isTimestamp(cursor) ? [] : [`cursor ${cursor} must be a timestamp column`]),
    ...(bookedAt ?? [])
      .filter(path => !isTimestamp(columnName(path)))
      .map(path => `bookedAt ${path} must be a timestamp column`),
    ...(knownBy ?? [])
      .filter(path => columns[columnName(path)]?.kind !== 'text')
      .map(path => `knownBy ${path} must be a text column`),
    ...Object.values(children)
      .filter(({ path }) => Object.values(columns).some(column => column.path === path))
      .map(({ path }) => `${path} has a table of its own, so it is no column`),
    ...eventTimes
      .filter(path => !isTimestamp(columnName(path)))
      .map(path => `event time ${path} must be a timestamp column`),
    ...(key ?? [])
      .filter(path => !(columnName(path) in columns))
      .map(path => `key ${path} must be a column`),
    ...[[name, columns] as const, ...tables].flatMap(([table, declared]) =>
      RESERVED.filter(reserved => reserved in declared).map(
        reserved => `${table}.${reserved} is a reserved name`,
      ),
    ),
  ]
}

/** What a list without dates leaves to say. */
type ListDeclaration = Pick<Stream, 'name' | 'singular' | 'title' | 'path' | 'columns'> &
  Partial<
    Pick<
      Stream,
      | 'knownBy'
      | 'offset'
      | 'pageCap'
      | 'children'
      | 'key'
      | 'answers'
      | 'parent'
      | 'optional'
      | 'lookup'
      | 'events'
      | 'ofShop'
    >
  >

/**
 * A list that takes no dates, and is read whole each time. One that comes without pages is asked
 * for more than it can hold.
 */
export const defineList = (list: ListDeclaration): Stream =>
  defineStream({
    windowing: 'full-refresh',
    offset: 'start',
    pageCap: list.answers === 'complete' ? 1000 : 100,
    cursor: 'modified',
    eventTimes: ['modified'],
    lookbackDays: 0,
    children: {},
    ...list,
  })
