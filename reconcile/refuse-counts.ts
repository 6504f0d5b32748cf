import { CountsError } from '../audit/count-problem.ts'
import type { CountProblem } from '../audit/count-problem.ts'
import type { CountedSheet } from '../audit/counts.ts'
import { lotKey, roomAndLot } from '../audit/quantities.ts'
import type { Quantities } from '../audit/quantities.ts'
import { roomName } from '../audit/snapshot.ts'
import { fromIso } from '../calendar/days.ts'
import { describeLater, laterPosting } from './later-postings.ts'
import type { PostedLot } from './later-postings.ts'
import type { PlanDocument, PlanLine } from './plan.ts'
import type { CountRow } from './read-rows.ts'

interface CountedFiles extends CountedSheet {
  rows: readonly CountRow[]
}

/** Whether stock is lost, and nobody says why. */
export const lacksReason = ({ delta, reason_code: reason }: PlanLine): boolean =>
  delta.startsWith('-') && reason === ''

/** What is lost has an adjustment reason: the state's system asks for one. */
export function refuseWithoutReason(
  counted: CountedFiles,
  lines: readonly PlanLine[],
  reasons: readonly string[],
): void {
  const without = lines.filter(lacksReason)
  if (without.length === 0) return
  throw new CountsError(
    without.map(line => ({
      ...placeOf(counted, line.line_id),
      column: 'reason_code',
      code: 'REASON_MISSING',
      message: `stock is lost here; why? One of: ${reasons.join(', ')}`,
    })),
  )
}

/** What somebody has posted since it was counted is newer than the count. */
export function refuseOutdated(
  counted: CountedFiles,
  { lines, createdAt }: Pick<PlanDocument, 'lines' | 'createdAt'>,
  posted: readonly PostedLot[],
): void {
  // The plan is just being made: nothing was posted after it.
  const clock = { madeMs: Infinity, nowMs: fromIso(createdAt) }
  const problems = lines.flatMap(line => {
    const later = laterPosting(line, posted, clock)
    if (later === undefined) return []
    const message =
      `${describeLater(later)} (${line.product}, lot ${line.batch_sku} in ${line.room}, ` +
      `counted at ${line.counted_at}): count it again and say when, or clear its count`
    const place = placeOf(counted, line.line_id)
    return [{ ...place, column: 'counted_at', code: 'POSTED_SINCE', message }]
  })
  if (problems.length > 0) throw new CountsError(problems)
}

/** A full inventory without a line says that there is nothing: every one must have been counted. */
export function refuseUncounted(counted: CountedFiles): void {
  const { counts } = counted
  if (counts.uncounted.length === 0) return
  throw new CountsError(
    counts.uncounted.map(line => ({
      ...placeOf(counted, line.lineId, Number(line.lineId) + 1),
      column: 'counted_qty',
      code: 'UNCOUNTED',
      message:
        `line ${line.lineId}, ${line.product}, lot ${line.batchSku} in ${line.room}, ` +
        'is not counted; --full needs every line',
    })),
  )
}

export function refuseArrived(
  { counts, snapshot, files }: CountedFiles,
  quantities: Quantities,
): void {
  const known = new Set(
    counts.counts.map(({ inventoryId, lot }) => lotKey(inventoryId, lot.batchId)),
  )
  const arrived = [...quantities].filter(([key, amount]) => amount !== 0n && !known.has(key))
  if (arrived.length === 0) return
  throw new CountsError(
    arrived.map(([key]): CountProblem => {
      const { inventoryId, batchId } = roomAndLot(key)
      const room = roomName(snapshot, inventoryId)
      const message =
        `the lot ${batchId} came into ${room} after the snapshot; ` +
        '--full would say that it is not there'
      return { file: files[0]!, row: 1, column: 'line_id', code: 'ARRIVED', message }
    }),
  )
}

/** Where a line of the count sheets stands in the files; in row `otherwise` where it does not. */
export function placeOf(
  { rows, files }: Pick<CountedFiles, 'rows' | 'files'>,
  lineId: string | null,
  otherwise = 1,
): Pick<CountProblem, 'file' | 'sheet' | 'row'> {
  const found = rows.find(({ cells }) => cells.line_id === lineId)
  if (found === undefined) return { file: files[0]!, row: otherwise }
  const { file, sheet, row } = found
  return sheet === undefined ? { file, row } : { file, sheet, row }
}
