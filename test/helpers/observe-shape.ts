import { DEEPEST, emptyShape, isName, MOST_FIELDS } from '../../connectors/shape.ts'
import type { Shape } from '../../connectors/shape.ts'

/** Adds one parsed record to a shape: what the walk over its bytes has to find, too. */
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

function fieldOf(shape: Shape, key: string): Shape {
  if (Object.hasOwn(shape.fields, key)) return shape.fields[key]!
  const name = !isName(key) || Object.keys(shape.fields).length >= MOST_FIELDS ? '*' : key
  return (shape.fields[name] ??= emptyShape())
}
