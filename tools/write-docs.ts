/** `npm run docs`: writes the tables of the README that derive from the code. `test/docs.test.ts` checks that they are fresh. */
import { readFileSync, writeFileSync } from 'node:fs'
import { streams } from '../connectors/partner/streams/index.ts'
import type { Stream } from '../connectors/stream.ts'
import { ERROR_CODES } from '../errors.ts'

const README = new URL('../README.md', import.meta.url)

const DATES: Record<Stream['window'], string> = { days: 'windows of store days', milliseconds: 'windows in milliseconds', whole: 'whole, each time' }

const row = (...cells: string[]): string => `| ${cells.join(' | ')} |`

function streamTable(): string {
  const lines = streams.map(({ name, title, path, window, lookbackDays, children }) => row(`\`${name}\``, title, `\`GET ${path}\``, DATES[window], window === 'whole' ? '' : `${lookbackDays} days`, Object.keys(children).map((child) => `\`${child}\``).join(', ')))
  return [row('stream', 'holds', 'endpoint', 'read', 'lookback', 'children'), '|---|---|---|---|---|---|', ...lines].join('\n')
}

const NEXT: Record<string, string> = { fatal: 'stops', retry: 'is tried again', park: 'window or range stays unproven, the others go on', 'dead-letter': 'record is kept aside' }

function errorTable(): string {
  return [row('code', 'means', 'then'), '|---|---|---|', ...Object.entries(ERROR_CODES).map(([code, { means, recovery }]) => row(`\`${code}\``, means, NEXT[recovery]!))].join('\n')
}

/** The README with its derived tables as they should be. */
export function withTables(text: string): string {
  const fill = (before: string, name: string, table: string): string => before.replace(new RegExp(`(<!-- ${name}: [^>]*-->)[^]*?(<!-- end -->)`), (_, open: string, close: string) => `${open}\n${table}\n${close}`)
  return fill(fill(text, 'streams', streamTable()), 'errors', errorTable())
}

if (import.meta.main) writeFileSync(README, withTables(readFileSync(README, 'utf8')))
