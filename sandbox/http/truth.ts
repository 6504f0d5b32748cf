import { Readable } from 'node:stream'
import type { Collection } from '../model/collection.ts'

const ROWS_AT_ONCE = 500

/** When: epoch milliseconds or anything that `Date` reads. */
function readMoment(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined || text === '') return otherwise
  const ms = /^\d+$/.test(text) ? Number(text) : Date.parse(text)
  if (Number.isNaN(ms))
    throw new RangeError(`${name} is ${text}; valid are epoch milliseconds or an ISO time`)
  return ms
}

/**
 * What the list really holds, as NDJSON by `modified`: `{id, modified}`, or whole records with
 * `full=1`, for [from, to). Whatever profiles and faults do to the API, this is the truth to
 * compare with.
 */
export function readTruth(
  collection: Collection,
  query: Readonly<Record<string, string | undefined>>,
): Readable {
  const { order } = collection
  const low = order.rankOf(readMoment('from', query['from'], -Infinity))
  const high = order.rankOf(readMoment('to', query['to'], Infinity))
  const full = query['full'] === '1' || query['full'] === 'true'
  const numbers = order.slice(low, high)
  return Readable.from(
    (function* () {
      for (let at = 0; at < numbers.length; at += ROWS_AT_ONCE) {
        let lines = ''
        for (const number of numbers.subarray(at, at + ROWS_AT_ONCE))
          lines += full
            ? `${collection.text(number)}\n`
            : `{"id":"${collection.idOf(number)}","modified":${collection.modifiedOf(number)}}\n`
        yield lines
      }
    })(),
  )
}
