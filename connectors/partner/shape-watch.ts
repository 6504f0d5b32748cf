import { COUNTER } from '../answer/places.ts'
import type { Place, Places } from '../answer/places.ts'
import { grown } from '../answer/walk-answer.ts'
import type { Walked } from '../answer/walk-answer.ts'
/**
 * Which fields and kinds the records of a reading have had so far: the sum of what walks counted.
 */
import { emptyShape } from '../shape.ts'
import type { Kind, Shape } from '../shape.ts'

export interface ShapeWatch {
  /** Undefined before the first answer. */
  places: Places | undefined
  counts: Int32Array
  /** By counter: the key of the first record. */
  firsts: Map<number, string>
}

export const startWatch = (): ShapeWatch => ({
  places: undefined,
  counts: new Int32Array(0),
  firsts: new Map(),
})

/** Adds the records of one answer, whose keys these are, by position. */
export function watchAnswer(
  watch: ShapeWatch,
  { places, counts, firsts }: Walked,
  keyOf: (position: number) => string,
): void {
  watch.places = places
  if (counts.length > watch.counts.length) watch.counts = grown(watch.counts, counts.length)
  for (let counter = 0; counter < counts.length; counter++) {
    const count = counts[counter]!
    if (count === 0) continue
    if (watch.counts[counter] === 0 && firsts[counter]! >= 0)
      watch.firsts.set(counter, keyOf(firsts[counter]!))
    watch.counts[counter]! += count
  }
}

/** What was seen so far, as one shape. */
export const watchedShape = (watch: ShapeWatch): Shape =>
  watch.places === undefined ? emptyShape() : shapeOf(watch, watch.places.record)

const KIND_COUNTERS: readonly (readonly [Kind, number])[] = (
  ['text', 'number', 'boolean', 'list', 'object'] as const
).map(kind => [kind, COUNTER[kind]])

function shapeOf(watch: ShapeWatch, place: Place): Shape {
  const countOf = (at: Place, counter: number): number => watch.counts[at.slot + counter] ?? 0
  const shape = emptyShape()
  shape.count = countOf(place, COUNTER.filled)
  shape.objects = countOf(place, COUNTER.object)
  for (const [kind, counter] of KIND_COUNTERS)
    if (countOf(place, counter) > 0) shape.kinds[kind] = watch.firsts.get(place.slot + counter)!
  for (const [name, field] of place.fields)
    if (countOf(field, COUNTER.filled) > 0) shape.fields[name] = shapeOf(watch, field)
  if (place.items !== undefined && countOf(place.items, COUNTER.filled) > 0)
    shape.items = shapeOf(watch, place.items)
  return shape
}
