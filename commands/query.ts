import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import type { Config } from '../config.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { UsageError } from '../errors.ts'
import type { QueryAnswer } from '../exports/query/query-cells.ts'
import { runQuery } from '../exports/query/run-query.ts'
import {
  ANSWER_FORMATS,
  answerAsJson,
  answerText,
  writeAnswer,
} from '../exports/query/write-answer.ts'
import type { AnswerFormat } from '../exports/query/write-answer.ts'
import { chooseNames } from '../names.ts'
import { sha256Of } from '../sha256.ts'
import { csvRow } from '../text/write-csv.ts'
import { chooseStores } from './arguments/choices.ts'
import { countingNumber, declareCommand, option } from './command.ts'
import type { Context } from './command.ts'
import { requireDatabase } from './database/require-database.ts'
import { countOf } from './terminal/number.ts'
import { formatTable } from './terminal/table.ts'

interface QueryOptions {
  store?: string
  format?: string
  out?: string
  people?: boolean
  seconds?: number
}

/** `tillage query "SELECT ..."`: one question over the tables, and nothing but the answer. */
async function query(context: Context, options: QueryOptions, sql: string): Promise<number> {
  const { config, terminal, signal } = context
  const format = chooseFormat(options, terminal.json)
  const path = options.out === undefined ? undefined : resolve(options.out)
  refuseTaken(path)
  await requireDatabase(config)
  if (options.store !== undefined) chooseStores(config, options.store)
  const answer = await runQuery({
    sql,
    database: config.database,
    streams,
    store: options.store,
    withPeople: options.people === true,
    limitMs: (options.seconds ?? 60) * 1000,
    signal,
  })
  if (answer.rounded.length > 0)
    terminal.log(
      `${answer.rounded.join(', ')}: a value has more than 10 decimals, and was rounded to them`,
    )
  if (path === undefined) terminal.print(asText(answer, format))
  else {
    await writeFile(answer, format, path, config)
    const rows = answer.rows.length
    if (terminal.json) terminal.print(JSON.stringify({ file: path, format, rows }))
    terminal.log(`${countOf(rows, 'row')} in ${path}`)
  }
  return 0
}

/** What was asked for, or what the name of the file says. */
function chooseFormat({ format, out }: QueryOptions, json: boolean): AnswerFormat {
  const ending = out === undefined ? '' : extname(out).slice(1)
  const shown = json ? 'json' : 'table'
  const named = format ?? (ending === '' ? shown : ending)
  const [chosen] = chooseNames('format', [named], ANSWER_FORMATS)
  if (out === undefined && (chosen === 'parquet' || chosen === 'xlsx'))
    throw new UsageError(`${chosen} is a file`, `Name it: --out answer.${chosen}`)
  return chosen as AnswerFormat
}

function refuseTaken(path: string | undefined): void {
  if (path !== undefined && existsSync(path))
    throw new UsageError(`${path} is there already`, 'Nothing was asked. Name another file.')
}

function asText(answer: QueryAnswer, format: AnswerFormat): string {
  if (format === 'json') return JSON.stringify(answerAsJson(answer))
  const rows = answer.rows.map(row => row.map(answerText))
  const names = answer.columns.map(({ name }) => name)
  if (format === 'csv') return [names, ...rows].map(row => csvRow(row, 'a bar too')).join('\n')
  return `${formatTable(names, rows)}\n\n  ${countOf(rows.length, 'row')}`
}

/** Whole or not at all, and its owner's alone: it may hold what a file of an export masks. */
async function writeFile(
  answer: QueryAnswer,
  format: AnswerFormat,
  path: string,
  { csv }: Config,
): Promise<void> {
  const partial = `${path}.partial`
  writeFileSync(partial, '', { mode: 0o600 })
  try {
    if (format === 'table' || format === 'json')
      writeFileSync(partial, `${asText(answer, format)}\n`)
    else await writeAnswer(answer, format, { path: partial, bom: csv.bom })
    renameSync(partial, path)
  } finally {
    rmSync(partial, { force: true })
  }
}

export const command = declareCommand<QueryOptions, [string]>({
  takes: '<sql>',
  choose: 'For example: tillage query "SELECT count(*) FROM books_transactions"',
  options: [
    option('--format <name>', `${ANSWER_FORMATS.join(', ')} (default: by the ending of --out)`),
    option('--out <file>', 'file for the answer; it must not exist'),
    option('--people', 'with columns that identify people; noted in the audit log'),
    option('--seconds <number>', 'time limit in seconds (60)').argParser(countingNumber),
  ],
  notes:
    'One SELECT in the SQL of DuckDB over the lists (tillage streams) and the books (books_*). ' +
    'Money is DECIMAL, times are instants in UTC. Five questions to begin with: docs/query.md.',
  audited: ({ store, people }, sql) =>
    people === true ? { store, people, sql: sha256Of(sql).slice(0, 16) } : undefined,
  run: query,
})
