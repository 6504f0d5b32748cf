#!/usr/bin/env node
import { realpathSync } from 'node:fs'
import { userInfo } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import type { ApiOptions } from './commands/api.ts'
import type { CheckOptions } from './commands/check.ts'
import type { LetterFilter } from './commands/dead-letters.ts'
import type { ExportOptions } from './commands/export.ts'
import type { JournalOptions } from './commands/journal.ts'
import type { SandboxFlags } from './commands/sandbox.ts'
import type { ScheduleOptions } from './commands/schedule.ts'
import type { SyncOptions } from './commands/sync.ts'
import { createTerminal, errorAsJson, exitStatusOf, formatError } from './commands/terminal.ts'
import type { Terminal } from './commands/terminal.ts'
import { loadConfig } from './config.ts'
import type { Config } from './config.ts'
import { streams } from './connectors/partner/streams/index.ts'
import { UsageError } from './errors.ts'
import { datasetsOf } from './exports/dataset.ts'
import { VERSION } from './version.ts'

// Intervals are UTC inside, and workers must not differ by the machine's zone.
process.env['TZ'] = 'UTC'

const stop = new AbortController()
let exitStatus = 0

interface Shared {
  config: string
  json: boolean
}

/**
 * Commands are loaded when they are called: Temporal and DuckDB cost a second that `status` and
 * `--help` need not wait for.
 */
type Run = (terminal: Terminal, config: () => Config) => Promise<number>

const program = new Command('tillage')
  .description(
    'From the till to the books: pulls what the stores did, proves that it has all of it, and writes the files.',
  )
  .version(VERSION)
  .showHelpAfterError('(tillage --help lists the commands)')
  .exitOverride()

/** Every command has --config and --json, one way of failing, and one exit status. */
function command(name: string, description: string, parent = program): Command {
  return parent
    .command(name)
    .description(description)
    .option('--config <file>', 'configuration', 'tillage.yaml')
    .option('--json', 'one JSON document on stdout, everything else on stderr', false)
    .exitOverride()
}

async function run({ config, json }: Shared, action: Run): Promise<void> {
  const terminal = createTerminal(json)
  try {
    exitStatus = await action(terminal, () => loadConfig(config))
  } catch (error) {
    terminal.log(formatError(error))
    if (json) terminal.print(JSON.stringify({ error: errorAsJson(error) }))
    exitStatus = exitStatusOf(error)
  }
}

const wholeNumber = (text: string): number => {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('expected a whole number')
  return Number(text)
}
const from = (): Option => new Option('--from <day>', 'first store-local day, yyyy-MM-dd')
const to = (): Option => new Option('--to <day>', 'day after the last, yyyy-MM-dd')
const streamNames = streams.map(({ name }) => name).join(', ')

command('demo', 'pulls two sandbox stores through Temporal into SQLite and files; needs nothing')
  .option('--folder <folder>', 'where its data goes', 'tillage-data/demo')
  .action((options: Shared & { folder: string }) =>
    run(options, async terminal =>
      (await import('./commands/demo.ts')).demo(
        options.folder,
        realpathSync(fileURLToPath(import.meta.url)),
        terminal,
        stop.signal,
      ),
    ),
  )

command('up', 'everything for one machine: Temporal, worker and schedules, until Ctrl-C').action(
  (options: Shared) =>
    run(options, async (terminal, config) =>
      (await import('./commands/work.ts')).up(config(), terminal, stop.signal),
    ),
)

command('worker', 'a worker alone, until Ctrl-C').action((options: Shared) =>
  run(options, async (terminal, config) =>
    (await import('./commands/work.ts')).work(config(), terminal, stop.signal),
  ),
)

command(
  'sync [streams...]',
  `makes a range proven; no dates = since the watermark with lookback. Streams: ${streamNames}`,
)
  .addOption(from())
  .addOption(to())
  .option('--store <id>', 'one store only')
  .option('--again', 'read windows again that are proven already')
  .action((names: string[], options: Shared & SyncOptions) =>
    run(options, async (terminal, config) =>
      (await import('./commands/sync.ts')).sync(config(), names, options, terminal, stop.signal),
    ),
  )

command('coverage <stream>', 'what is proven, stale, unproven and never read, with the evidence')
  .addOption(from())
  .addOption(to())
  .option('--store <id>', 'one store only')
  .action((name: string, options: Shared & SyncOptions) =>
    run(options, async (terminal, config) =>
      (await import('./commands/coverage.ts')).coverage(config(), name, options, terminal),
    ),
  )

command(
  'export <datasets...>',
  `files and a manifest. Datasets: ${datasetsOf(streams)
    .map(({ name }) => name)
    .join(', ')}`,
)
  .addOption(from())
  .addOption(to())
  .option('--format <list>', 'parquet, csv, jsonl, xlsx', 'parquet,csv')
  .option('--store <id>', 'one store only')
  .option('--out <folder>', 'where the files go (default: exports in the configuration)')
  .option('--people', 'write the columns that tell who somebody is; they are left empty otherwise')
  .action((names: string[], options: Shared & ExportOptions) =>
    run(options, async (terminal, config) =>
      (await import('./commands/export.ts')).exportCommand(
        config(),
        names,
        options,
        terminal,
        stop.signal,
      ),
    ),
  )

command(
  'check [streams...]',
  'compares a random sample of proven windows and of single records with the API, row by row, and heals what is wrong',
)
  .option('--windows <number>', 'how many are drawn, of store days and whole lists', wholeNumber, 5)
  .option(
    '--records <number>',
    'how many records of each stream are asked for by their id, where the API has a place for that',
    wholeNumber,
    20,
  )
  .option('--seed <number>', 'the same seed draws the same windows and records', wholeNumber)
  .option('--no-heal', 'only tell')
  .option('--store <id>', 'one store only')
  .action((names: string[], options: Shared & CheckOptions) =>
    run(options, async (terminal, config) =>
      (await import('./commands/check.ts')).check(config(), names, options, terminal, stop.signal),
    ),
  )

const schedule = program
  .command('schedule')
  .description('what runs when, from tillage.yaml')
  .exitOverride()

command(
  'apply',
  'makes the schedules of Temporal equal to tillage.yaml, and says what it changed',
  schedule,
).action((options: Shared) =>
  run(options, async (terminal, config) =>
    (await import('./commands/schedule.ts')).scheduleApply(config(), terminal, stop.signal),
  ),
)

command('list', 'each schedule, when it comes next, and how its newest run stands', schedule)
  .option('--store <id>', 'one store only')
  .action((options: Shared & ScheduleOptions) =>
    run(options, async (terminal, config) =>
      (await import('./commands/schedule.ts')).scheduleList(config(), options, terminal),
    ),
  )

command('backfill', 'the nights of many business days, now', schedule)
  .addOption(from())
  .addOption(to())
  .option('--store <id>', 'one store only')
  .action((options: Shared & SyncOptions) =>
    run(options, async (terminal, config) =>
      (await import('./commands/backfill-nights.ts')).scheduleBackfill(
        config(),
        options,
        terminal,
        stop.signal,
      ),
    ),
  )

for (const [name, act, description] of [
  ['pause', 'schedulePause', 'nothing starts until resume; none named = all'],
  ['resume', 'scheduleResume', 'starts again at the next time; none named = all'],
  ['trigger', 'scheduleTrigger', 'one more start now, by the worker that is up'],
] as const) {
  command(`${name} [schedules...]`, description, schedule)
    .option('--store <id>', 'those of one store only')
    .option('--reason <text>', 'a note for whoever looks')
    .action((names: string[], options: Shared & ScheduleOptions) =>
      run(options, async (terminal, config) =>
        (await import('./commands/schedule.ts'))[act](config(), names, options, terminal),
      ),
    )
}
command('history <stream> <id>', 'every state of a record that was seen, and what changed')
  .option('--store <id>', 'one store only')
  .option('--values', 'what fields changed from and to, which may tell who somebody is')
  .action((name: string, id: string, options: Shared & { store?: string; values?: boolean }) =>
    run(options, async (terminal, config) =>
      (await import('./commands/history.ts')).history(config(), name, id, options, terminal),
    ),
  )

const deadLetters = program
  .command('dead-letters')
  .description('records that no table could take: list, show, replay, discard')
  .exitOverride()
const letterCommand = (name: string, description: string): Command =>
  command(name, description, deadLetters)
    .option('--store <id>', 'one store only')
    .addOption(
      new Option('--stream <name>', 'one stream only').choices(
        streams.map(({ name: known }) => known),
      ),
    )

letterCommand('list', 'what was refused and why, without any value').action(
  (options: Shared & LetterFilter) =>
    run(options, async (terminal, config) =>
      (await import('./commands/dead-letters.ts')).listLetters(config(), options, terminal),
    ),
)

letterCommand('show <key>', 'the record as it came').action(
  (key: string, options: Shared & LetterFilter) =>
    run(options, async (terminal, config) =>
      (await import('./commands/dead-letters.ts')).showLetter(config(), key, options, terminal),
    ),
)

letterCommand(
  'replay [keys...]',
  'merges the kept records again; all of them, or those named',
).action((keys: string[], options: Shared & LetterFilter) =>
  run(options, async (terminal, config) =>
    (await import('./commands/dead-letters.ts')).replayLetters(config(), keys, options, terminal),
  ),
)

letterCommand('discard <keys...>', 'gives records up; they are kept aside, with who, when and why')
  .requiredOption('--reason <text>', 'why they may be missing')
  .option('--by <name>', 'who says so', userInfo().username)
  .action((keys: string[], options: Shared & LetterFilter & { reason: string; by: string }) =>
    run(options, async (terminal, config) =>
      (await import('./commands/dead-letters.ts')).discardLetters(
        config(),
        keys,
        options,
        terminal,
      ),
    ),
  )

command('journal', 'the daily sales journal of each store, tied out, as files for bookkeeping')
  .option('--date <day>', 'the business day')
  .option('--store <id>', 'one store only')
  .option(
    '--format <list>',
    'generic, qbo, xero, iif, netsuite (default: accounting.formats in the configuration)',
  )
  .option('--closing <file>', 'a closing report to compare with (CSV or YAML; see the README)')
  .option('--suspense', 'book what does not tie out on the suspense account; needs --reason')
  .option('--reason <text>', 'why the difference may stay; is written into the files')
  .option('--out <folder>', 'where the files go (default: exports in the configuration)')
  .action((options: Shared & JournalOptions) =>
    run(options, async (terminal, config) =>
      (await import('./commands/journal.ts')).journalCommand(
        config(),
        options,
        terminal,
        stop.signal,
      ),
    ),
  )

command('status', 'one line for each store and stream').action((options: Shared) =>
  run(options, async (terminal, config) =>
    (await import('./commands/status.ts')).status(config(), terminal),
  ),
)

command(
  'doctor',
  'keys, store identity, permissions, and how the API behaves where its documentation is silent; only reads',
)
  .option('--store <id>', 'one store only')
  .action((options: Shared & { store?: string }) =>
    run(options, async (terminal, config) =>
      (await import('./commands/doctor.ts')).doctor(config(), options.store, terminal, stop.signal),
    ),
  )

command(
  'verify <manifest>',
  'checks the files of an export, their hashes, their control totals and the chain of manifests; needs no network',
).action((manifest: string, options: Shared) =>
  run(options, async terminal => (await import('./commands/verify.ts')).verify(manifest, terminal)),
)

command(
  'api [method] [path]',
  'calls one documented operation of the API, once, for people exploring',
)
  .addOption(new Option('--list [group]', 'the operations there are, of one group or of all'))
  .option(
    '--param <name=value>',
    'a parameter of path, query or header; may be repeated',
    (value: string, before: string[]) => [...before, value],
    [],
  )
  .option('--body <file>', 'what to send: JSON, or the file of an upload; - is stdin')
  .option('--store <id>', 'which store (default: the first)')
  .option('--out <file>', 'where the answer goes')
  .option('--dry-run', 'tells what would be sent, and sends nothing')
  .option('--write', 'yes, call a GET that changes something')
  .action((method: string | undefined, path: string | undefined, options: Shared & ApiOptions) =>
    run(options, async (terminal, config) =>
      (await import('./commands/api.ts')).api(config, method, path, options, terminal, stop.signal),
    ),
  )

command('sandbox', 'the Partner Commerce API to try things on, until Ctrl-C')
  .option('--port <number>', '0 = any free one', wholeNumber, 0)
  .option('--seed <number>', 'the same seed gives the same data', wholeNumber, 1)
  .option('--stores <number>', 'how many', wholeNumber, 2)
  .option('--days <number>', 'of history', wholeNumber, 60)
  .option('--until <day>', 'day after the last day of data (default: today)')
  .option('--transactions-per-day <number>', 'per store', wholeNumber)
  .option(
    '--data <file>',
    'keeps every change in this SQLite file, so that a restart loses nothing',
  )
  .option('--profile <names>', 'ways to be hostile, see sandbox/README.md')
  .option('--list-profiles', 'prints them, and ends')
  .action((options: Shared & SandboxFlags) => {
    const { config: _, json: __, ...flags } = options
    return run(options, async terminal =>
      (await import('./commands/sandbox.ts')).sandbox(flags, terminal, stop.signal),
    )
  })

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // A second one does not wait for an orderly end; what is committed stays either way.
    if (stop.signal.aborted) process.exit(1)
    stop.abort()
  })
}

try {
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof CommanderError)) throw error
  exitStatus = error.exitCode === 0 ? 0 : 2
  const mistake = new UsageError(
    error.message.replace(/^error: /, ''),
    'tillage --help lists the commands, and COMMAND --help what each takes.',
  )
  if (exitStatus !== 0 && process.argv.includes('--json'))
    createTerminal(true).print(JSON.stringify({ error: errorAsJson(mistake) }))
}
// Temporal's runtime would hold a process that failed before its first worker; what was printed
// goes out first.
process.stdout.write('', () => process.exit(exitStatus))
