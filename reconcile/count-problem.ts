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

/** All problems at once: nobody wants to fix a file twenty times. Nothing was planned. */
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
        problems.map(problem => `  ${describeProblem(problem)}`).join('\n'),
      { remedy: 'Nothing was planned. Correct the files and run the command again.' },
    )
    this.problems = problems
  }
}

export const describeProblem = ({ file, sheet, row, column, message }: CountProblem): string =>
  `${file}${sheet === undefined ? '' : `, ${sheet}`} row ${row}, ${column}: ${message}`
