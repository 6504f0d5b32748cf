/**
 * The places that a stream's records have, as a tree: those that its declaration names, and those
 * that answers have shown. It grows with the first record that has something new, and every later
 * one is walked along it without being parsed.
 */
import { CellRows, cellTables } from '../cells.ts'
import { DEEPEST, MOST_FIELDS, isName } from '../shape.ts'
import type { ColumnKind, Columns, Stream } from '../stream.ts'
import { spell } from './json-text.ts'
import type { Spelling } from './json-text.ts'

/** What stands at a place, as bits. A number is spelled wildly where only a parser can judge it. */
export const TOKEN = {
  text: 1,
  emptyText: 2,
  whole: 4,
  decimal: 8,
  wildNumber: 16,
  boolean: 32,
  null: 64,
  object: 128,
  list: 256,
} as const
const ANYTHING = 511
/** Texts are left to the tables: whether one is a number depends on every letter of it. */
const FITS: Record<ColumnKind, number> = {
  text: ANYTHING,
  json: ANYTHING,
  integer: TOKEN.whole | TOKEN.null,
  timestamp: TOKEN.whole | TOKEN.null,
  decimal: TOKEN.whole | TOKEN.decimal | TOKEN.null,
  boolean: TOKEN.boolean | TOKEN.null,
}

/** Counters of a place: how often it was filled, and with what. */
export const COUNTER = { filled: 0, text: 1, number: 2, boolean: 3, list: 4, object: 5 } as const
const COUNTERS = 6

/**
 * Fields that hold credentials: they are dropped before anything of an answer is written, wherever
 * in a record they stand, and so are in no table, no `raw`, no version and no dead letter (INV-10).
 * The documentation has `pin` and `password` on employees and consumers, `secretKey` on card
 * readers, `deviceToken` on devices; the others are what such fields are called elsewhere.
 */
export const SECRET_FIELDS: readonly string[] = [
  'pin',
  'pinCode',
  'vehiclePin',
  'passcode',
  'password',
  'passwordHash',
  'passwd',
  'secret',
  'secretKey',
  'clientSecret',
  'privateKey',
  'apiKey',
  'accessToken',
  'authToken',
  'refreshToken',
  'deviceToken',
]

export interface Place {
  /** Its first counter. */
  readonly slot: number
  readonly depth: number
  /** Its name, where that is spelled without escapes and no data has become names. */
  readonly key: Spelling | undefined
  /** Bits of `TOKEN` that fit the declaration; nothing is said of any other. */
  fits: number
  /** Of a declared column: the table whose rows have it, and its number there. */
  cells: CellRows | undefined
  column: number
  /** Of a declared list of lines: its table. */
  lines: CellRows | undefined
  readonly isSecret: boolean
  readonly fields: Map<string, Place>
  items: Place | undefined
  /** The field that came first, and the one that followed this one, when they were seen first. */
  first: Place | undefined
  next: Place | undefined
  /** The number of the object that had it last: the same one again has it twice. */
  seenIn: number
}

export interface Places {
  /** The answer itself. */
  readonly answer: Place
  /** What the items of its list share, wherever it stands. */
  readonly record: Place
  /** Where the declared columns stand; those of children are named `transaction_items.quantity`. */
  readonly columns: readonly ColumnPlace[]
  /** Rows of the answer that is walked, as `cells.ts` says; the records' own come first. */
  readonly tables: readonly CellRows[]
  /** All that lies too deep to be distinguished. */
  readonly below: Place
  /** Numbers of counters that are in use. */
  counters(): number
  fieldOf(place: Place, name: string, key?: Uint8Array): Place
  itemsOf(place: Place): Place
  /** Numbers objects, so that a key that comes twice in one of them is seen. */
  nextObject(): number
}

export interface ColumnPlace {
  name: string
  place: Place
}

const SECRETS = new Set(SECRET_FIELDS.map(name => name.toLowerCase()))
export const isSecretName = (name: string): boolean => SECRETS.has(name.toLowerCase())

/** An API that makes up names is not followed for ever. */
const MOST_PLACES = 20_000
/** The name that shares a place with all others of its object. */
const ANY_NAME = '*'

/** Places of a stream, as far as its declaration says. */
export function createPlaces(stream: Stream): Places {
  let places = 0
  let objects = 0
  const add = (depth: number, name?: string, key?: Uint8Array): Place => ({
    slot: places++ * COUNTERS,
    depth,
    key: key === undefined ? undefined : spell(key),
    fits: ANYTHING,
    cells: undefined,
    column: 0,
    lines: undefined,
    isSecret: name !== undefined && isSecretName(name),
    fields: new Map(),
    items: undefined,
    first: undefined,
    next: undefined,
    seenIn: 0,
  })
  const addField = (place: Place, name: string, key?: Uint8Array): Place => {
    const field = add(place.depth + 1, name, key)
    place.fields.set(name, field)
    return field
  }
  const fieldOf = (place: Place, name: string, key?: Uint8Array): Place => {
    const known = place.fields.get(name)
    if (known !== undefined) return known
    const isShared = !isName(name) || place.fields.size >= MOST_FIELDS || places >= MOST_PLACES
    return isShared
      ? (place.fields.get(ANY_NAME) ?? addField(place, ANY_NAME))
      : addField(place, name, key)
  }
  const itemsOf = (place: Place): Place => (place.items ??= add(place.depth + 1))
  const record = add(0)
  const tables = cellTables(stream).map(table => new CellRows(table))
  const columns = declare(stream, record, { fieldOf, itemsOf, tables })
  return {
    answer: add(0),
    record,
    columns,
    tables,
    below: add(DEEPEST),
    counters: () => places * COUNTERS,
    fieldOf,
    itemsOf,
    nextObject: () => ++objects,
  }
}

/** Deeper than this nothing is distinguished. */
export const isTooDeep = (place: Place): boolean => place.depth >= DEEPEST

type Growing = Pick<Places, 'fieldOf' | 'itemsOf' | 'tables'>

/** What the tables ask of a record, beside what their types do. */
function declare(stream: Stream, record: Place, tree: Growing): ColumnPlace[] {
  const [ownTable, ...lineTables] = tree.tables
  record.fits = TOKEN.object
  const columns = declareColumns(stream.columns, record, tree, ownTable!)
  if (stream.key === undefined) placeAt(record, 'id', tree).fits = TOKEN.text | TOKEN.whole
  const ownColumns = Object.keys(stream.columns).length
  const ofLines = Object.entries(stream.children).flatMap(([name, child], index) => {
    const lines = placeAt(record, child.path, tree)
    lines.fits = TOKEN.list | TOKEN.null
    lines.lines = lineTables[index]
    Object.assign(lines, { cells: ownTable, column: ownColumns + index })
    const line = tree.itemsOf(lines)
    line.fits = TOKEN.object
    const inLine = declareColumns(child.columns, line, tree, lineTables[index]!)
    return inLine.map(column => ({ ...column, name: `${name}.${column.name}` }))
  })
  return [...columns, ...ofLines]
}

const declareColumns = (
  columns: Columns,
  record: Place,
  tree: Growing,
  table: CellRows,
): ColumnPlace[] =>
  Object.entries(columns).map(([name, { kind, path }], column) => {
    const place = placeAt(record, path, tree)
    place.fits &= FITS[kind]
    // What is cut out of the text stands nowhere.
    if (!path.split('.').some(isSecretName)) Object.assign(place, { cells: table, column })
    return { name, place }
  })

/** The place at a path of documented names, which need no escaping. */
const placeAt = (place: Place, path: string, tree: Growing): Place =>
  path.split('.').reduce((at, name) => tree.fieldOf(at, name, Buffer.from(name)), place)

/**
 * Where secret fields stand in the text of an answer, noted while it is walked, so that they can be
 * cut out before anything else is done with it. What is left is the same JSON without them.
 */
export class SecretCuts {
  /** Pairs of where a cut begins and where it ends, in order; none overlaps another. */
  readonly #cuts: number[] = []
  #bytes = 0

  /** How many bytes are cut so far. */
  get bytes(): number {
    return this.#bytes
  }

  /**
   * A secret field that ends at `end`. In its object the last field that stays ends at `keptEnd`;
   * where none came before, `keptEnd` is where the fields begin.
   */
  add(keptEnd: number, end: number): void {
    const cuts = this.#cuts
    // Secrets within this one, and its neighbours right before it.
    while (cuts.length > 0 && cuts.at(-2)! >= keptEnd) {
      this.#bytes -= cuts.at(-1)! - cuts.at(-2)!
      cuts.length -= 2
    }
    cuts.push(keptEnd, end)
    this.#bytes += end - keptEnd
  }

  /** A copy of the text without the fields; the text itself where there are none. */
  cutOut(json: Buffer): Buffer {
    const cuts = this.#cuts
    if (cuts.length === 0) return json
    const copy = Buffer.allocUnsafeSlow(json.length - this.#bytes)
    let length = 0
    let from = 0
    for (let at = 0; at < cuts.length; at += 2) {
      length += json.copy(copy, length, from, cuts[at])
      from = cuts[at + 1]!
    }
    json.copy(copy, length, from)
    return copy
  }
}
