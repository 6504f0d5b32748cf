import { CountsError } from '../audit/count-problem.ts'
import type { CountProblem } from '../audit/count-problem.ts'
import type { PlanLine } from './plan.ts'
import type { CountRow } from './read-rows.ts'

interface CountedFiles {
  rows: readonly CountRow[]
  files: readonly string[]
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

/** Where a line of the count sheets stands in the files; in row `otherwise` where it does not. */
export function placeOf(
  { rows, files }: CountedFiles,
  lineId: string | null,
  otherwise = 1,
): Pick<CountProblem, 'file' | 'sheet' | 'row'> {
  const found = rows.find(({ cells }) => cells.line_id === lineId)
  if (found === undefined) return { file: files[0]!, row: otherwise }
  const { file, sheet, row } = found
  return sheet === undefined ? { file, row } : { file, sheet, row }
}
