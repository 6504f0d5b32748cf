import { CountsError } from '../audit/count-problem.ts'
import type { CountProblem } from '../audit/count-problem.ts'
import type { PlanLine } from './plan.ts'
import type { CountRow } from './read-rows.ts'

/** Whether stock is lost, and nobody says why. */
export const lacksReason = ({ delta, reason_code: reason }: PlanLine): boolean =>
  delta.startsWith('-') && reason === ''

/** What is lost has an adjustment reason: the state's system asks for one. */
export function refuseWithoutReason(
  { rows, files }: { rows: readonly CountRow[]; files: readonly string[] },
  lines: readonly PlanLine[],
  reasons: readonly string[],
): void {
  const without = lines.filter(lacksReason)
  if (without.length === 0) return
  throw new CountsError(
    without.map((line): CountProblem => {
      const row = rows.find(({ cells }) => cells.line_id === line.line_id)
      const { sheet } = row ?? {}
      return {
        file: row?.file ?? files[0]!,
        ...(sheet === undefined ? {} : { sheet }),
        row: row?.row ?? 1,
        column: 'reason_code',
        code: 'REASON_MISSING',
        message: `stock is lost here; why? One of: ${reasons.join(', ')}`,
      }
    }),
  )
}
