import { isIgnored } from '../../tables/header.ts'
import type { Column } from '../plan/columns.ts'
import type { Problem } from './problem.ts'

export interface HeaderOrder {
  file: string
  columns: readonly Column[]
  /** Columns of the users' own. */
  ignored: readonly string[]
}

/** A strict header: columns of ours or ignored ones, each once, external_id among them. */
export function checkHeader(names: readonly string[], order: HeaderOrder): Problem[] {
  const { file, columns, ignored } = order
  const known = new Set(columns.map(({ name }) => name))
  if (!names.some(name => known.has(name))) return [{ file, row: 1, ...FOREIGN }]
  const problems: Problem[] = []
  const say = (column: string, code: Problem['code'], message: string): void =>
    void problems.push({ file, row: 1, column, code, message })
  names.forEach((name, index) => {
    if (isIgnored(name, ignored)) return
    if (name === '') say(`column ${index + 1}`, 'HEADER_UNKNOWN', 'a column without a name')
    else if (!known.has(name)) say(name, 'HEADER_UNKNOWN', explainUnknown(name))
    else if (names.indexOf(name) !== index)
      say(name, 'HEADER_TWICE', `the column ${name} is in the header twice`)
  })
  if (!names.includes('external_id'))
    say('external_id', 'HEADER_MISSING', 'the column external_id is missing')
  return problems
}

const explainUnknown = (name: string): string =>
  `there is no column ${name}; push template shows all of them, ` +
  'and --ignore-columns leaves out one of your own'

/** One problem instead of one for each of its columns. */
const FOREIGN: Pick<Problem, 'column' | 'code' | 'message'> = {
  column: 'external_id',
  code: 'HEADER_MISSING',
  message:
    'no column of this header is known, external_id least of all: is it the right file? ' +
    'push template writes one to start from',
}

/** Under such a header no row can be told from another; under any other, rows are looked at too. */
export const isUseless = (problems: readonly Problem[]): boolean =>
  problems.some(({ code }) => code === 'HEADER_MISSING')
