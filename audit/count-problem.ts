import { TillageError } from '../errors.ts'

/** Something that is wrong in a counts file; rows as Excel shows them. */
export interface CountProblem {
  file: string
  sheet?: string
  row: number
  column: string
  code: string
  message: string
}

/** All problems at once: nobody wants to fix a file twenty times. Nothing was done. */
export class CountsError extends TillageError {
  readonly problems: readonly CountProblem[]

  constructor(found: readonly CountProblem[]) {
    const files = [...new Set(found.map(({ file }) => file))]
    const problems = found.toSorted(
      (one, other) => files.indexOf(one.file) - files.indexOf(other.file) || one.row - other.row,
    )
    super(
      'COUNTS_INVALID',
      `${problems.length === 1 ? 'a problem' : `${problems.length} problems`} in the counts:\n` +
        describeProblems(problems)
          .map(line => `  ${line}`)
          .join('\n'),
      { remedy: 'Nothing was done. Correct the files and run the command again.' },
    )
    this.problems = problems
  }
}

/** `counts.csv row 7, counted_qty: ...`; the same mistake in many rows is said once, with them. */
export function describeProblems(problems: readonly CountProblem[]): string[] {
  const same = Map.groupBy(problems, ({ file, sheet, column, code }) =>
    JSON.stringify([file, sheet, column, code]),
  )
  return [...same.values()].map(group => {
    const { file, sheet, column, message } = group[0]!
    const rows = rowsIn(group.map(({ row }) => row))
    const others = new Set(group.map(one => one.message)).size - 1
    const alike = others === 0 ? '' : ` (that of the first row; ${countAlike(others)})`
    const where = `${file}${sheet === undefined ? '' : `, ${sheet}`}`
    return `${where} ${rows}, ${column}: ${message}${alike}`
  })
}

const countAlike = (others: number): string =>
  others === 1 ? 'another one is like it' : `${others} others are like it`

/** `row 7`, `rows 2-24, 30`. */
function rowsIn(rows: readonly number[]): string {
  const spans: { from: number; to: number }[] = []
  for (const row of rows) {
    const last = spans.at(-1)
    if (last !== undefined && row <= last.to + 1) last.to = row
    else spans.push({ from: row, to: row })
  }
  const named = spans.map(({ from, to }) => (from === to ? String(from) : `${from}-${to}`))
  return `row${rows.length === 1 ? '' : 's'} ${named.join(', ')}`
}
