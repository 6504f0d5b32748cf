/**
 * `npm run docs`: writes the tables of the README that derive from the code. `test/docs.test.ts`
 * checks that they are fresh.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { operations } from '../connectors/partner/contract/index.ts'
import { GROUPS } from '../connectors/partner/contract/operation.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import type { Stream } from '../connectors/stream.ts'
import { ERROR_CODES } from '../errors.ts'
import { routes } from '../sandbox/routes/table.ts'

const README = new URL('../README.md', import.meta.url)

const DATES: Record<Stream['windowing'], string> = {
  days: 'windows of store days',
  milliseconds: 'windows in milliseconds',
  'full-refresh': 'whole, each time',
}

const row = (...cells: string[]): string => `| ${cells.join(' | ')} |`

function streamTable(): string {
  const lines = streams.map(({ name, title, path, windowing, lookbackDays, children }) =>
    row(
      `\`${name}\``,
      title,
      `\`GET ${path}\``,
      DATES[windowing],
      windowing === 'full-refresh' ? '' : `${lookbackDays} days`,
      Object.keys(children)
        .map(child => `\`${child}\``)
        .join(', '),
    ),
  )
  return [
    row('stream', 'holds', 'endpoint', 'read', 'lookback', 'children'),
    '|---|---|---|---|---|---|',
    ...lines,
  ].join('\n')
}

const NEXT: Record<string, string> = {
  fatal: 'stops',
  retry: 'is tried again',
  park: 'window or range stays unproven, the others go on',
  'dead-letter': 'record is kept aside',
}

function errorTable(): string {
  return [
    row('code', 'means', 'then'),
    '|---|---|---|',
    ...Object.entries(ERROR_CODES).map(([code, { means, recovery }]) =>
      row(`\`${code}\``, means, NEXT[recovery]!),
    ),
  ].join('\n')
}

/**
 * The contract writes `{id}`, routes `:id`, whatever the parameter is called; a slash at the end
 * does not count.
 */
const asRoute = (method: string, path: string): string =>
  `${method} ${path.replaceAll(/\{\w+\}|:\w+/g, '*').replace(/\/$/, '')}`

function groupTable(): string {
  const played = new Set(routes.map(({ method, path }) => asRoute(method, path)))
  const lines = GROUPS.map(group => {
    const ours = operations.filter(operation => operation.group === group)
    const read = streams.filter(({ path }) =>
      ours.some(operation => operation.method === 'GET' && operation.path === path),
    )
    return row(
      group,
      `${ours.length}`,
      `${ours.filter(({ method, path }) => played.has(asRoute(method, path))).length}`,
      read.map(({ name }) => `\`${name}\``).join(', '),
    )
  })
  return [
    row('group', 'the client calls', 'the sandbox plays', 'streams'),
    '|---|---|---|---|',
    ...lines,
  ].join('\n')
}

/** The README with its derived tables as they should be. */
export function withTables(text: string): string {
  const fill = (before: string, name: string, table: string): string =>
    before.replace(
      new RegExp(`(<!-- ${name}: [^>]*-->)[^]*?(<!-- end -->)`),
      (_, open: string, close: string) => `${open}\n${table}\n${close}`,
    )
  const tables = { streams: streamTable(), groups: groupTable(), errors: errorTable() }
  return Object.entries(tables).reduce((before, [name, table]) => fill(before, name, table), text)
}

if (import.meta.main) writeFileSync(README, withTables(readFileSync(README, 'utf8')))
