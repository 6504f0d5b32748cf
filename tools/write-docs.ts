/**
 * `npm run docs`: writes the tables of the documents that derive from the code.
 * `test/docs.test.ts` checks that they are fresh.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import type { Option } from 'commander'
import { isFamily } from '../commands/command.ts'
import type { AnyCommand } from '../commands/command.ts'
import { formatNotes } from '../commands/help.ts'
import { COMMAND_GROUPS, COMMANDS } from '../commands/index.ts'
import type { ListedCommand } from '../commands/index.ts'
import { FINDINGS } from '../connectors/findings.ts'
import { operations } from '../connectors/partner/contract/index.ts'
import { GROUPS } from '../connectors/partner/contract/operation.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import type { Stream } from '../connectors/stream.ts'
import { ERROR_CODES } from '../errors.ts'
import { describeTables, tableNames } from '../exports/dictionary.ts'
import { routes } from '../sandbox/routes/table.ts'

const ROOT = resolve(import.meta.dirname, '..')
/** Documents that may hold derived tables. */
const DOCUMENTS = 'README.md docs/*.md'

const row = (...cells: string[]): string =>
  `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`
const table = (head: readonly string[], rows: readonly string[]): string =>
  [row(...head), `|${'---|'.repeat(head.length)}`, ...rows].join('\n')
const code = (text: string): string => `\`${text}\``

const DATES: Record<Stream['windowing'], string> = {
  days: 'windows of store days',
  milliseconds: 'windows in milliseconds',
  'full-refresh': 'whole, each time',
}

const streamTable = (): string =>
  table(
    ['stream', 'holds', 'endpoint', 'read', 'lookback', 'children'],
    streams.map(({ name, title, path, windowing, lookbackDays, children }) =>
      row(
        code(name),
        title,
        code(`GET ${path}`),
        DATES[windowing],
        windowing === 'full-refresh' ? '' : `${lookbackDays} days`,
        Object.keys(children).map(code).join(', '),
      ),
    ),
  )

const NEXT: Record<string, string> = {
  fatal: 'stops',
  retry: 'is tried again',
  park: 'window or range stays unproven, the others go on',
  'dead-letter': 'record is kept aside',
}

const errorTable = (): string =>
  table(
    ['code', 'means', 'then'],
    Object.entries(ERROR_CODES).map(([name, { means, recovery }]) =>
      row(code(name), means, NEXT[recovery]!),
    ),
  )

const findingTable = (): string =>
  table(
    ['code', 'means', 'what to do'],
    Object.entries(FINDINGS).map(([name, { means, remedy }]) => row(code(name), means, remedy)),
  )

/**
 * The contract writes `{id}`, routes `:id`, whatever the parameter is called; a slash at the end
 * does not count.
 */
const asRoute = (method: string, path: string): string =>
  `${method} ${path.replaceAll(/\{\w+\}|:\w+/g, '*').replace(/\/$/, '')}`

function groupTable(): string {
  const played = new Set(routes.map(({ method, path }) => asRoute(method, path)))
  const rows = GROUPS.map(group => {
    const ours = operations.filter(operation => operation.group === group)
    const read = streams.filter(({ path }) =>
      ours.some(operation => operation.method === 'GET' && operation.path === path),
    )
    return row(
      group,
      `${ours.length}`,
      `${ours.filter(({ method, path }) => played.has(asRoute(method, path))).length}`,
      read.map(({ name }) => code(name)).join(', '),
    )
  })
  return table(['group', 'the client calls', 'the sandbox plays', 'streams'], rows)
}

/** Every command by its heading, one line each. */
async function commandList(): Promise<string> {
  const groups = Object.entries(COMMAND_GROUPS)
  const lines = groups.map(async ([group, heading]) => {
    const ours = COMMANDS.filter(command => command.group === group)
    const cells = await Promise.all(ours.map(async command => code(await nameOf(command))))
    return ours.map((command, at) => row(at === 0 ? heading : '', cells[at]!, command.does))
  })
  return table(['', 'command', 'does'], (await Promise.all(lines)).flat())
}

/** `schedule apply`, `list`, ... in one line. */
async function nameOf({ name, load }: ListedCommand): Promise<string> {
  const loaded = await load()
  if (!isFamily(loaded)) return name
  return `${name} ${loaded.subcommands.map(sub => sub.name).join(' · ')}`
}

/** Every command with its arguments and options, as its own help has them. */
async function commandReference(): Promise<string> {
  const sections = COMMANDS.map(async ({ name, does, load }) => {
    const loaded = await load()
    const each = isFamily(loaded)
      ? loaded.subcommands.map(sub => describe(`${name} ${sub.name}`, sub.does, sub.command))
      : [describe(name, does, loaded)]
    return each.join('\n\n')
  })
  return (await Promise.all(sections)).join('\n\n')
}

function describe(name: string, does: string, command: AnyCommand): string {
  const options = (command.options ?? []).map(describeOption)
  return [
    `### \`${[name, command.takes].filter(Boolean).join(' ')}\``,
    `${does[0]!.toUpperCase()}${does.slice(1)}.`,
    ...(options.length === 0 ? [] : [table(['option', ''], options)]),
    ...(command.notes === undefined
      ? []
      : [['```text', formatNotes(command.notes), '```'].join('\n')]),
  ].join('\n\n')
}

function describeOption({ flags, description, argChoices, defaultValue }: Option): string {
  // Of many, such as all streams, the help has the list.
  const few = argChoices !== undefined && argChoices.length <= 8
  const choices = few ? ` (one of ${argChoices.map(code).join(', ')})` : ''
  // A name that is this user's is nobody else's.
  const shown =
    defaultValue !== userInfo().username &&
    (typeof defaultValue === 'string' || typeof defaultValue === 'number')
  const without = shown ? ` (default: ${code(String(defaultValue))})` : ''
  return row(code(flags), `${description}${choices}${without}`)
}

/** The tables that people ask for first; `tillage describe` prints every other one. */
function booksTables(): string {
  return tableNames(streams)
    .flatMap(name => describeTables(name, streams))
    .filter(({ as }) => as === 'books')
    .map(({ name, holds, key, columns }) =>
      [
        `### ${code(name)}`,
        `${holds[0]!.toUpperCase()}${holds.slice(1)}; key ${key.map(code).join(', ')}.`,
        table(
          ['column', 'type', 'unit', 'sign'],
          columns.map(({ name: column, type, unit, sign }) => row(code(column), type, unit, sign)),
        ),
      ].join('\n\n'),
    )
    .join('\n\n')
}

/** The derived tables, by the name that their place in a document has. */
const TABLES: Record<string, () => string | Promise<string>> = {
  streams: streamTable,
  groups: groupTable,
  errors: errorTable,
  findings: findingTable,
  commands: commandList,
  reference: commandReference,
  data: booksTables,
}

/** A document with its derived tables as they should be. */
export async function withTables(text: string): Promise<string> {
  let filled = text
  for (const [name, write] of Object.entries(TABLES)) {
    const place = new RegExp(`(<!-- ${name}: [^>]*-->)[^]*?(<!-- end -->)`)
    if (!place.test(filled)) continue
    const written = await write()
    filled = filled.replace(
      place,
      (_, open: string, close: string) => `${open}\n\n${written}\n\n${close}`,
    )
  }
  return filled
}

if (import.meta.main)
  for (const file of globSync(DOCUMENTS.split(' '), { cwd: ROOT })) {
    const path = join(ROOT, file)
    writeFileSync(path, await withTables(readFileSync(path, 'utf8')))
  }
