/**
 * Which fields records have, at any depth, and of which kinds: what was learned of a list, what a
 * window shows, and how the two differ. Places and kinds only, never values (INV-10).
 */
import type { FindingCode } from './findings.ts'

const KINDS = ['text', 'number', 'boolean', 'list', 'object'] as const
type Kind = (typeof KINDS)[number]

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
const isName = (key: string): boolean =>
  /^[a-z_$][\w$-]{0,59}$/i.test(key) && !/^([0-9a-f]{24}|[0-9a-f-]{36})$/i.test(key)
/**
 * An object with more fields than this has data for keys; further fields of it are treated as one.
 */
const MOST_FIELDS = 400
const DEEPEST = 24

/** Adds one record to a shape. */
export function observe(shape: Shape, value: unknown, recordKey: string, depth = 0): void {
  shape.count++
  if (value === null || value === undefined) return
  if (Array.isArray(value)) {
    shape.kinds.list ??= recordKey
    if (depth < DEEPEST)
      for (const item of value) observe((shape.items ??= emptyShape()), item, recordKey, depth + 1)
  } else if (typeof value === 'object') {
    shape.kinds.object ??= recordKey
    shape.objects++
    if (depth < DEEPEST)
      for (const key in value)
        observe(fieldOf(shape, key), (value as Record<string, unknown>)[key], recordKey, depth + 1)
  } else if (typeof value === 'string') shape.kinds.text ??= recordKey
  else if (typeof value === 'number') shape.kinds.number ??= recordKey
  else shape.kinds.boolean ??= recordKey
}

/** A field may be called `constructor`, as everything that an object inherits is. */
const fieldNamed = (shape: Shape, name: string): Shape | undefined =>
  Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined

function fieldOf(shape: Shape, key: string): Shape {
  const known = fieldNamed(shape, key)
  if (known !== undefined) return known
  const name = !isName(key) || Object.keys(shape.fields).length >= MOST_FIELDS ? '*' : key
  return (shape.fields[name] ??= emptyShape())
}

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
  const drifts: Drift[] = []
  const kindsBefore = kindsOf(known)
  const strange = kindsOf(seen).filter(kind => !kindsBefore.includes(kind))
  if (kindsBefore.length > 0 && strange.length > 0) {
    drifts.push({
      code: 'field_retyped',
      path,
      detail: `${path} is ${strange.join(' and ')}, was ${kindsBefore.join(' or ')}; first in record ${seen.kinds[strange[0]!]}`,
    })
  }
  for (const [name, field] of Object.entries(seen.fields)) {
    const place = path === '' ? name : `${path}.${name}`
    const before = fieldNamed(known, name)
    if (before !== undefined) drifts.push(...findDrift(before, field, place))
    else if (known.objects > 0)
      drifts.push({ code: 'field_added', path: place, detail: `${place} is new${describe(field)}` })
  }
  for (const [name, before] of Object.entries(known.fields)) {
    const now = fieldNamed(seen, name)?.count ?? 0
    if (
      name === '*' ||
      known.objects < ALWAYS ||
      before.count < known.objects ||
      now >= seen.objects
    )
      continue
    const place = path === '' ? name : `${path}.${name}`
    drifts.push({
      code: 'field_missing',
      path: place,
      detail: `${place} is missing ${seen.objects - now} times of ${seen.objects}; before it was there each of ${known.objects} times`,
    })
  }
  if (seen.items !== undefined && known.items !== undefined)
    drifts.push(...findDrift(known.items, seen.items, `${path}[]`))
  return drifts
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

/** The shape of so many records that are built like this one. */
export function timesShape({ count, kinds, objects, fields, items }: Shape, times: number): Shape {
  const inner = Object.assign(
    Object.create(null) as Record<string, Shape>,
    Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [name, timesShape(field, times)]),
    ),
  )
  return {
    count: count * times,
    kinds,
    objects: objects * times,
    fields: inner,
    ...(items === undefined ? {} : { items: timesShape(items, times) }),
  }
}
