/**
 * Which fields records have, at any depth, and of which kinds: what was learned of a list, what a
 * window shows, and how the two differ. Places and kinds only, never values (INV-10).
 */
import type { FindingCode } from './findings.ts'

const KINDS = ['text', 'number', 'boolean', 'list', 'object'] as const
export type Kind = (typeof KINDS)[number]

/** One place in a record. The items of a list share one place. */
export interface Shape {
  /** Times that this place was filled; null counts, for the field is there. */
  count: number
  /** The kinds that it held, each with the key of the first record that showed it. */
  kinds: Partial<Record<Kind, string>>
  /** Times that it held an object. A field whose count equals this was in each of them. */
  objects: number
  fields: Record<string, Shape>
  items?: Shape
}

export const emptyShape = (): Shape => ({
  count: 0,
  kinds: {},
  objects: 0,
  fields: Object.create(null) as Record<string, Shape>,
})

/**
 * Keys that are data, not names, share one place, as list items do: ids, numbers, and whatever no
 * programmer would name a field, such as an address (INV-10).
 */
export const isName = (key: string): boolean =>
  /^[a-z_$][\w$-]{0,59}$/i.test(key) && !/^([0-9a-f]{24}|[0-9a-f-]{36})$/i.test(key)
/**
 * An object with more fields than this has data for keys; further fields of it are treated as one.
 */
export const MOST_FIELDS = 400
/** Deeper than this nothing is looked at. */
export const DEEPEST = 24

/** A field may be called `constructor`, as everything that an object inherits is. */
const fieldNamed = (shape: Shape, name: string): Shape | undefined =>
  Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined

/** A field that came, went or changed its kind. */
export interface Drift {
  code: Extract<FindingCode, 'field_added' | 'field_missing' | 'field_retyped'>
  /** Place in the record: `cart.items[].unitPrice`. */
  path: string
  /** Kinds, counts and the key of the first record that showed it. */
  detail: string
}

/** So many objects must have had a field, all of them, before one without it is reported. */
const ALWAYS = 100

/**
 * What a window shows that is not in what was learned. A field inside a new field is not told apart
 * from it.
 */
export function findDrift(known: Shape, seen: Shape, path = ''): Drift[] {
  const itemsBefore = known.items
  return [
    ...findRetyped(known, seen, path),
    ...Object.entries(seen.fields).flatMap(([name, field]) => {
      const place = placeOf(path, name)
      const before = fieldNamed(known, name)
      return before === undefined ? findAdded(known, field, place) : findDrift(before, field, place)
    }),
    ...Object.entries(known.fields).flatMap(([name, before]) =>
      findMissing({ known, seen, name, before }, placeOf(path, name)),
    ),
    ...(seen.items === undefined || itemsBefore === undefined
      ? []
      : findDrift(itemsBefore, seen.items, `${path}[]`)),
  ]
}

const placeOf = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

function findRetyped(known: Shape, seen: Shape, path: string): Drift[] {
  const before = kindsOf(known)
  const strange = kindsOf(seen).filter(kind => !before.includes(kind))
  if (before.length === 0 || strange.length === 0) return []
  const detail =
    `${path} is ${strange.join(' and ')}, was ${before.join(' or ')}; ` +
    `first in record ${seen.kinds[strange[0]!]}`
  return [{ code: 'field_retyped', path, detail }]
}

const findAdded = (known: Shape, field: Shape, path: string): Drift[] =>
  known.objects === 0
    ? []
    : [{ code: 'field_added', path, detail: `${path} is new${describe(field)}` }]

interface FieldBefore {
  known: Shape
  seen: Shape
  name: string
  before: Shape
}

/** A field that was there each time, often enough to say so, and is missing now. */
function findMissing({ known, seen, name, before }: FieldBefore, path: string): Drift[] {
  const now = fieldNamed(seen, name)?.count ?? 0
  const wasAlways = known.objects >= ALWAYS && before.count >= known.objects
  if (name === '*' || !wasAlways || now >= seen.objects) return []
  const detail =
    `${path} is missing ${seen.objects - now} times of ${seen.objects}; ` +
    `before it was there each of ${known.objects} times`
  return [{ code: 'field_missing', path, detail }]
}

const kindsOf = (shape: Shape): Kind[] => KINDS.filter(kind => shape.kinds[kind] !== undefined)

function describe(field: Shape): string {
  const kinds = kindsOf(field)
  return kinds.length === 0
    ? ', always null so far'
    : ` (${kinds.join(' or ')}); first in record ${field.kinds[kinds[0]!]}`
}

/**
 * What is known once a window was seen too. The first record that showed something stays the
 * example.
 */
export function mergeShapes(known: Shape, seen: Shape): Shape {
  const fields = Object.assign(Object.create(null) as Record<string, Shape>, known.fields)
  for (const [name, field] of Object.entries(seen.fields)) {
    const before = fields[name]
    fields[name] = before === undefined ? field : mergeShapes(before, field)
  }
  const items =
    known.items === undefined || seen.items === undefined
      ? (known.items ?? seen.items)
      : mergeShapes(known.items, seen.items)
  return {
    count: known.count + seen.count,
    kinds: { ...seen.kinds, ...known.kinds },
    objects: known.objects + seen.objects,
    fields,
    ...(items === undefined ? {} : { items }),
  }
}
