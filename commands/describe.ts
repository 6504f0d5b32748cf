import { streams } from '../connectors/partner/streams/index.ts'
import { describeTables, tableNames } from '../exports/dictionary.ts'
import type { DescribedTable } from '../exports/dictionary.ts'
import { chooseNames } from '../names.ts'
import { declareCommand } from './command.ts'
import type { Context } from './command.ts'
import { formatTable } from './terminal/table.ts'

/** `tillage describe NAME`: the data dictionary of a stream's view, a dataset's files, or both. */
async function describe(
  { terminal }: Pick<Context, 'terminal'>,
  _options: object,
  name: string,
): Promise<number> {
  chooseNames('table', [name], tableNames(streams))
  const tables = describeTables(name, streams)
  terminal.print(terminal.json ? JSON.stringify({ tables }) : tables.map(asText).join('\n\n'))
  return 0
}

const WHERE = {
  view: 'view in the database, as the API sent it',
  books: 'view in the database, by the rules of the books',
  file: 'files of an export',
} as const

/** What is the same down the whole table is said once: above it, or in the notes of `--help`. */
function asText({ name, as, holds, key, columns }: DescribedTable): string {
  const rows = columns.map(({ name: column, type, unit, sign, source, person }) => [
    column,
    as === 'view' && unit !== sign && unit !== '' ? unit : type,
    as === 'view' ? '' : [unit, sign].filter(text => text !== '').join('; '),
    person ? `${source} (person)` : source,
  ])
  const head = ['column', 'type', 'unit and sign', 'source']
  const isTelling = head.map((_, at) => new Set(rows.map(row => row[at])).size > 1)
  const table = formatTable(
    head.filter((_, at) => isTelling[at]),
    rows.map(row => row.filter((_, at) => isTelling[at])),
  )
  return `${name}: ${WHERE[as]}\n(${holds})\nkey: ${key.join(', ')}\n${table}`
}

export const command = declareCommand({
  takes: '<table>',
  choose:
    'For example: tillage describe transactions. All of them: tillage streams, tillage datasets',
  notes:
    '(person): tells who somebody is; empty in files without --people. ' +
    'Decimals of a view are as the API ' +
    'sends them. The names: tillage streams, tillage datasets.',
  storeless: true,
  run: describe,
})
