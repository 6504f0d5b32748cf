import type { Column } from '../plan/columns.ts'
import type { Problem } from './problem.ts'

/** A strict header: known columns, each once, external_id among them. */
export function checkHeader(
  names: readonly string[],
  columns: readonly Column[],
  file: string,
): Problem[] {
  const known = new Set(columns.map(({ name }) => name))
  const foreign = explainForeign(names, known)
  if (foreign !== undefined) return [{ file, row: 1, ...foreign }]
  const problems: Problem[] = []
  const say = (column: string, code: Problem['code'], message: string): void =>
    void problems.push({ file, row: 1, column, code, message })
  names.forEach((name, index) => {
    if (!known.has(name))
      say(
        name === '' ? `column ${index + 1}` : name,
        'HEADER_UNKNOWN',
        name === ''
          ? 'a column without a name'
          : `there is no column ${name}${nearest(name, known)}; push template shows all of them`,
      )
    else if (names.indexOf(name) !== index)
      say(name, 'HEADER_TWICE', `the column ${name} stands in the header twice`)
  })
  if (!names.includes('external_id'))
    say('external_id', 'HEADER_MISSING', 'the column external_id is missing')
  return problems
}

/** What is wrong with a header as a whole: one problem instead of one for each of its columns. */
function explainForeign(
  names: readonly string[],
  known: ReadonlySet<string>,
): Pick<Problem, 'column' | 'code' | 'message'> | undefined {
  if (names.length === 1 && /[;\t]/.test(names[0]!))
    return {
      column: null,
      code: 'FORMAT',
      message:
        'the columns are separated by semicolons or tabs; save it as CSV (UTF-8), with commas',
    }
  if (names.some(name => known.has(name) || nearest(name, known) !== '')) return undefined
  return {
    column: 'external_id',
    code: 'HEADER_MISSING',
    message:
      'no column of this header is known, external_id least of all: is it the right file? ' +
      'push template writes one to start from',
  }
}

/** Under such a header no row can be told from another; under any other, rows are looked at too. */
export const isUseless = (problems: readonly Problem[]): boolean =>
  problems.some(({ code }) => code === 'FORMAT' || code === 'HEADER_MISSING')

/** A name that differs only in case or in how words are joined. */
function nearest(name: string, known: ReadonlySet<string>): string {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  const found = [...known].find(candidate => plain(candidate) === plain(name))
  return found === undefined ? '' : ` (did you mean ${found}?)`
}
