import type { Range } from '../http/parameters.ts'
import type { Collection, JsonRecord } from '../model/collection.ts'
import { parseExactly } from '../values/money.ts'
import { Dice, mix } from '../values/random.ts'

/**
 * Somebody works at the till while the list is read (profile `busy`): before one request in three a
 * row of the asked range is edited, deleted, or inserted as a late arrival. Follows from the seed
 * and the number of the request alone.
 */
export function disturb(
  { collection, range }: { collection: Collection; range: Range },
  nowMs: number,
  seed: number,
  requestNumber: number,
): void {
  const dice = new Dice(mix(seed ^ 0xb5, requestNumber))
  if (!dice.chance(1 / 3)) return
  const { order } = collection
  const low = order.rankOf(range.fromMs)
  const high = order.rankOf(range.toMs)
  if (high === low) return
  const rank = low + dice.below(high - low)
  const number = order.numberAt(rank)
  const inRange = Math.floor(
    (order.modifiedAt(rank) + order.modifiedAt(low + dice.below(high - low))) / 2,
  )
  const act = dice.below(4)
  if (act === 0) collection.remove(number)
  else if (act === 1) {
    // Offline till: the record is new, its times are not.
    const { id: _id, ...rest } = parseExactly(collection.text(number)) as JsonRecord
    collection.insert({ ...rest, modified: inRange }, nowMs)
  } else if (act === 2) collection.edit(number, { modified: inRange }, nowMs)
  // Leaves the range unless the range reaches up to now.
  else collection.edit(number, { updated: true }, nowMs)
}
