import type { Unit } from '../audit/snapshot.ts'

/** Cells of counts, each by itself. Pure. */
interface CellProblem {
  code: string
  message: string
}

const MOST_PLACES: Readonly<Record<Unit, number>> = { EACH: 0, GRAM: 4 }

/** Plain decimals with a point, 0 or more; pieces whole, grams with four places at most. */
export function checkQuantity(text: string, unit: Unit): CellProblem | undefined {
  if (/^-\d+(\.\d+)?$/.test(text))
    return { code: 'QTY_NEGATIVE', message: `${text} is less than 0` }
  const parts = /^\d+(?:\.(\d+))?$/.exec(text)
  if (parts === null) {
    const what = `${JSON.stringify(text)} is not a plain decimal; write 1234.5, with a point`
    return { code: 'QTY_INVALID', message: what }
  }
  const places = (parts[1] ?? '').replace(/0+$/, '').length
  if (places <= MOST_PLACES[unit]) return undefined
  return unit === 'EACH'
    ? { code: 'QTY_NOT_WHOLE', message: `${text} is not whole, and these are pieces` }
    : { code: 'QTY_PLACES', message: `${text} has more than 4 decimals` }
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/
/** Clocks of different machines do not show the same second. */
const CLOCKS_APART_MS = 5_000

/** ISO with an offset, not before the snapshot, not in the future. */
export function checkTime(
  text: string,
  snapshotMs: number,
  nowMs: number,
): CellProblem | undefined {
  if (text === '')
    return { code: 'COUNTED_AT_MISSING', message: 'when? Like 2026-03-08T22:41:00-07:00' }
  const ms = TIME.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms))
    return {
      code: 'COUNTED_AT_INVALID',
      message: `${text} is not a time with an offset; write 2026-03-08T22:41:00-07:00`,
    }
  // Written in whole seconds, a count in the snapshot's own second is not before it.
  if (ms < Math.floor(snapshotMs / 1000) * 1000)
    return { code: 'COUNTED_BEFORE', message: `${text} is before the snapshot was taken` }
  if (ms > nowMs + CLOCKS_APART_MS)
    return { code: 'COUNTED_IN_FUTURE', message: `${text} is in the future` }
  return undefined
}
