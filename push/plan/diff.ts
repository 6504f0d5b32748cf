import { dayOf, dayStart } from '../../calendar/clock.ts'
import { asToken, compareDecimals, plainDecimal } from '../../money/decimal.ts'
import { isEmpty, isRecord, tokenOf, valueAt } from '../../text/exact-json.ts'
import type { Json, JsonRecord } from '../../text/exact-json.ts'
import type { Cell } from '../input/cell.ts'
import type { Row } from '../input/rows.ts'
import { idOf, sameText, textField, textKey } from '../live.ts'
import type { Catalog, Change, Edit, Image } from '../operation.ts'
import { columnsOf } from './columns.ts'
import type { Column, ColumnKind } from './columns.ts'
import { covers, isCleared } from './covers.ts'
import type { References } from './reference.ts'

/** What a difference depends on besides the row and the record. */
export interface DiffContext {
  timeZone: string
  references: References
  /** The record of a picture that was uploaded to this store before, as JSON text. */
  assetOf(sha256: string): string | undefined
}

export interface Difference {
  changes: Change[]
  /** Operations of this plan that must come first. */
  dependsOn: string[]
  /** Why the row cannot be carried out, if it cannot. */
  blocked: string[]
}

/** Field by field: what a row would change in a record, or in a new one. Columns in file order. */
export function diffRow(
  row: Row,
  record: JsonRecord | undefined,
  catalog: Catalog,
  context: DiffContext,
): Difference {
  const difference: Difference = { changes: [], dependsOn: [], blocked: [] }
  for (const column of columnsOf(catalog)) {
    const cell = row.cells.get(column.name)
    if (cell === undefined || column.kind === 'about') continue
    const asked: Asked = {
      isNew: record === undefined,
      column,
      now: record === undefined ? undefined : valueAt(record, column.path),
      context,
      difference,
      images: row.images,
    }
    const change = cell.kind === 'clear' ? cleared(asked) : READERS[column.kind](cell, asked)
    if (change !== undefined) difference.changes.push(change)
  }
  return difference
}

interface Asked {
  /** A new record gets what the file says, also where that is what it would have anyway. */
  isNew: boolean
  column: Column
  now: Json
  context: DiffContext
  difference: Difference
  images: readonly Image[]
}

function cleared({ column, now, context }: Asked): Change | undefined {
  if (isCleared(now)) return undefined
  return {
    field: column.name,
    old: describeValue(now, column, context),
    new: null,
    edits: [{ path: column.path, to: nothingLike(now, column) }],
  }
}

/** The contract has no null: an empty list or text, else the field is left out. */
function nothingLike(now: Json, { choices }: Column): string | null {
  if (Array.isArray(now)) return '[]'
  return typeof now === 'string' && choices === undefined ? '""' : null
}

/** Records are in use unless they say otherwise. */
export const flagOf = (value: Json, field: string): Json =>
  value ?? (field === 'active' ? true : undefined)

type Differ = (cell: Cell, asked: Asked) => Change | undefined

const changeTo = (
  { column, now, context }: Asked,
  text: string,
  edit: Omit<Edit, 'path'>,
): Change => ({
  field: column.name,
  old: describeValue(now, column, context),
  new: text,
  edits: [{ path: column.path, ...edit }],
})

const READERS: Readonly<Record<Exclude<ColumnKind, 'about'>, Differ>> = {
  text(cell, asked) {
    const { text } = cell as Extract<Cell, { kind: 'text' }>
    const now = describeValue(asked.now, asked.column, asked.context)
    return now !== null && sameText(now, text)
      ? undefined
      : changeTo(asked, text, { to: JSON.stringify(text) })
  },
  decimal(cell, asked) {
    const { text } = cell as Extract<Cell, { kind: 'decimal' }>
    const now = describeValue(asked.now, asked.column, asked.context)
    return now !== null && compareDecimals(now, text) === 0
      ? undefined
      : changeTo(asked, text, { to: asToken(text) })
  },
  boolean(cell, asked) {
    const { value } = cell as Extract<Cell, { kind: 'boolean' }>
    const now = asked.isNew ? undefined : flagOf(asked.now, asked.column.name)
    return now === value
      ? undefined
      : changeTo({ ...asked, now }, String(value), { to: String(value) })
  },
  date(cell, asked) {
    const { day } = cell as Extract<Cell, { kind: 'date' }>
    return describeValue(asked.now, asked.column, asked.context) === day
      ? undefined
      : changeTo(asked, day, { to: String(dayStart(day, asked.context.timeZone)) })
  },
  list(cell, asked) {
    const { items } = cell as Extract<Cell, { kind: 'list' }>
    return !asked.isNew && sameSet(textsOf(asked.now), items)
      ? undefined
      : changeTo(asked, items.join(';'), { to: JSON.stringify(items) })
  },
  json(cell, asked) {
    const { value, text } = cell as Extract<Cell, { kind: 'json' }>
    return !asked.isNew && covers(asked.now ?? [], value)
      ? undefined
      : changeTo(asked, text, { to: text })
  },
  reference(cell, asked) {
    const { text } = cell as Extract<Cell, { kind: 'text' }>
    const { of } = asked.column
    const found = asked.context.references.resolve(of!, text)
    if (found.kind === 'missing') return block(asked, found.reason)
    if (found.kind === 'there')
      return covers(asked.now, found.id)
        ? undefined
        : changeTo(asked, text, { to: JSON.stringify(found.id) })
    asked.difference.dependsOn.push(found.op)
    return changeTo(asked, text, { to: null, idOf: found.op })
  },
  references(cell, asked) {
    const { items } = cell as Extract<Cell, { kind: 'list' }>
    const found = items.map(item => asked.context.references.resolve(asked.column.of!, item))
    const missing = found.find(one => one.kind === 'missing')
    if (missing !== undefined) return block(asked, missing.reason)
    const ids = found.flatMap(one => (one.kind === 'there' ? [one.id] : []))
    if (ids.length < found.length)
      return block(asked, `${asked.column.name} names what this plan would create; push it first`)
    return sameSet(textsOf(asked.now), ids)
      ? undefined
      : changeTo(asked, items.join(';'), { to: JSON.stringify(ids) })
  },
  note(cell, asked) {
    const { text } = cell as Extract<Cell, { kind: 'text' }>
    const notes: readonly Json[] = Array.isArray(asked.now) ? asked.now : []
    const says = (note: Json): boolean =>
      isRecord(note) && sameText(textField(note, 'message'), text)
    if (notes.some(says)) return undefined
    const to = JSON.stringify([...notes, { message: text }])
    return { field: asked.column.name, old: null, new: text, edits: [{ path: ['notes'], to }] }
  },
  images(_cell, asked) {
    const { images, context } = asked
    const keys = images.map(({ sha256 }) => keyOf(context.assetOf(sha256)))
    const there = photosOf(asked.now).map(keyOfPhoto)
    if (keys.every(key => key !== undefined) && sameSet(there, keys)) return undefined
    return changeTo(asked, images.map(({ name }) => name).join(';'), { to: null, images })
  },
}

function block({ difference }: Asked, reason: string): undefined {
  difference.blocked.push(reason)
}

/** A value of the API as the file would write it; null is nothing. */
export const describeValue = (now: Json, column: Column, context: DiffContext): string | null =>
  isEmpty(now) ? null : (DESCRIBED[column.kind] ?? plain)(now, column, context)

type Describe = (now: Json, column: Column, context: DiffContext) => string | null

/** What does not stand in the API as it stands in the file. */
const DESCRIBED: Readonly<Partial<Record<ColumnKind, Describe>>> = {
  date(now, _column, { timeZone }) {
    const token = tokenOf(now)
    return token === undefined ? plain(now) : dayOf(Number(token), timeZone)
  },
  decimal: now => plainDecimal(plain(now)) ?? plain(now),
  note: () => null,
  reference: (now, { of }, { references }) =>
    typeof now === 'string' ? references.nameOf(of!, now) : plain(now),
  references: (now, { of }, { references }) =>
    textsOf(now)
      .map(id => references.nameOf(of!, id))
      .join(';'),
  list: now => textsOf(now).join(';'),
  images: now => photosOf(now).map(nameOfPhoto).join(';'),
}

const plain = (now: Json): string =>
  typeof now === 'string' ? now : (tokenOf(now) ?? JSON.stringify(now))

const nameOfPhoto = (photo: JsonRecord): string => textField(photo, 'name') || idOf(photo)
const keyOfPhoto = (photo: JsonRecord): string => textField(photo, 'key') || idOf(photo)

const textsOf = (value: Json): string[] =>
  Array.isArray(value)
    ? value.flatMap(item => (typeof item === 'string' ? [item] : (tokenOf(item) ?? [])))
    : []

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  const [one, other] = [a, b].map(texts => new Set(texts.map(textKey)))
  return one!.size === other!.size && [...other!].every(item => one!.has(item))
}

/** Documents of a product are no pictures and stay. */
export const photosOf = (assets: Json): JsonRecord[] =>
  Array.isArray(assets)
    ? assets.filter(isRecord).filter(({ type }) => type === undefined || type === 'Photo')
    : []

function keyOf(asset: string | undefined): string | undefined {
  if (asset === undefined) return undefined
  const { key, id } = JSON.parse(asset) as { key?: string; id?: string }
  return key ?? id
}
