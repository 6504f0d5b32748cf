import { streams } from '../connectors/partner/streams/index.ts'
import { describeTables, tableNames } from '../exports/dictionary.ts'
import type { DescribedTable } from '../exports/dictionary.ts'
import { chooseNames } from '../names.ts'
import { declareCommand } from './command.ts'
import type { Context } from './command.ts'
import { formatTable } from './terminal.ts'

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

function asText({ name, as, holds, key, columns }: DescribedTable): string {
  const rows = columns.map(({ name: column, type, unit, sign, source, person }) => [
    column,
    type,
    [unit, sign === unit ? '' : sign].filter(text => text !== '').join('; '),
    source,
    person ? 'yes' : '',
  ])
  return `${name}: ${WHERE[as]} (${holds}); key ${key.join(', ')}\n${formatTable(['column', 'type', 'unit and sign', 'source', 'person'], rows)}`
}

export const command = declareCommand({
  takes: '<table>',
  notes:
    'person: tells who somebody is; empty in files without --people. The names: tillage streams, tillage datasets.',
  storeless: true,
  run: describe,
})
