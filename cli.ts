#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import type { AnyCommand, CommandFamily, Context, GlobalOptions } from './commands/command.ts'
import { COMMAND_GROUPS, COMMANDS } from './commands/index.ts'
import { createTerminal, errorAsJson, exitStatusOf, formatError } from './commands/terminal.ts'
import { loadConfig } from './config.ts'
import { TillageError, UsageError } from './errors.ts'
import { VERSION } from './version.ts'

// Intervals are UTC inside, and workers must not differ by the machine's zone.
process.env['TZ'] = 'UTC'

// Databases, logs and files hold records of stores and people: whatever is made from here on, by
// children too, is its owner's alone (0700 and 0600).
process.umask(0o077)

const stop = new AbortController()
let exitStatus = 0

const program = new Command('tillage')
  .description('From the till to the books: reads what the stores did and proves that it is all.')
  .usage('<command> [options]')
  .version(VERSION)
  .option('--config <file>', 'configuration', 'tillage.yaml')
  .option('--json', 'one JSON document on stdout, everything else on stderr', false)
  .option('--store <id>', 'one store only', (id: string, others: string | undefined) =>
    // More than one are for commands that say so; all others know no store of that name.
    others === undefined ? id : `${others},${id}`,
  )
  .configureHelp({ showGlobalOptions: true })
  .addHelpCommand(
    new Command('help')
      .arguments('[command]')
      .description('the help of one command')
      .helpGroup(COMMAND_GROUPS.explore),
  )
  .showHelpAfterError('(tillage --help lists the commands)')
  .exitOverride()

/** The command that the arguments name, or that `help` is asked about. */
function commandWord(args: readonly string[]): string | undefined {
  const words = args.filter(
    (arg, at) => !arg.startsWith('-') && !/^--(config|store)$/.test(args[at - 1] ?? ''),
  )
  return words[0] === 'help' ? words[1] : words[0]
}

function declare(command: Command, path: string, declared: AnyCommand): void {
  if (declared.takes !== undefined) command.arguments(declared.takes)
  for (const option of declared.options ?? []) command.addOption(option)
  if (declared.notes !== undefined) command.addHelpText('after', `\n${declared.notes}`)
  command.action((...given: unknown[]) => {
    const options = command.optsWithGlobals<GlobalOptions & Record<string, unknown>>()
    // Commander adds the options and the command itself behind the arguments.
    return run(path, declared, options, given.slice(0, -2))
  })
}

/** One way of failing for all commands, and one exit status. */
async function run(
  path: string,
  command: AnyCommand,
  options: GlobalOptions & Record<string, unknown>,
  names: readonly unknown[],
): Promise<void> {
  const terminal = createTerminal(options.json)
  const context: Context = {
    terminal,
    signal: stop.signal,
    get config() {
      return loadConfig(options.config)
    },
  }
  try {
    if (command.storeless === true && options.store !== undefined)
      throw new UsageError(`${path} has nothing to do with stores`, 'Leave out --store.')
    const audited = command.audited?.(options, ...names)
    exitStatus =
      audited === undefined
        ? await command.run(context, options, ...names)
        : await recorded(context, { act: path, detail: audited }, () =>
            command.run(context, options, ...names),
          )
  } catch (error) {
    terminal.log(formatError(error))
    if (options.json) terminal.print(JSON.stringify({ error: errorAsJson(error) }))
    exitStatus = exitStatusOf(error)
  }
}

/**
 * Nothing is shown or changed that the audit log could not take. Where there is no database yet,
 * there is nothing to show, and what was done is written down afterwards.
 */
async function recorded(
  { config }: Context,
  { act, detail }: { act: string; detail: Readonly<Record<string, unknown>> },
  work: () => Promise<number>,
): Promise<number> {
  // SQLite is loaded by the commands that need it.
  const { recordAct } = await import('./commands/record-act.ts')
  const { database } = config
  const wasThere = existsSync(database)
  if (wasThere) await recordAct(database, act, detail)
  try {
    const status = await work()
    if (!wasThere) await recordAct(database, act, detail)
    return status
  } catch (error) {
    const failed = error instanceof TillageError ? error.code : 'UNKNOWN'
    if (wasThere) await recordAct(database, act, { ...detail, failed })
    throw error
  }
}

const isFamily = (loaded: AnyCommand | CommandFamily): loaded is CommandFamily =>
  'subcommands' in loaded

/** All are listed, and the one that is asked for is loaded. */
async function declareCommands(asked: string | undefined): Promise<void> {
  for (const { name, group, does, load } of COMMANDS) {
    const command = program
      .command(name)
      .description(does)
      .helpGroup(COMMAND_GROUPS[group])
      .helpCommand(false)
      .exitOverride()
    if (name !== asked) continue
    const loaded = await load()
    if (!isFamily(loaded)) declare(command, name, loaded)
    else
      for (const { name: inner, does: what, command: declared } of loaded.subcommands)
        declare(
          command.command(inner).description(what).exitOverride(),
          `${name} ${inner}`,
          declared,
        )
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // A second one does not wait for an orderly end; what is committed stays either way.
    if (stop.signal.aborted) process.exit(1)
    if (signal === 'SIGINT')
      process.stderr.write(
        '\nstopping: work under way is brought to its end. Ctrl-C again ends at once; what is committed stays.\n',
      )
    stop.abort()
  })
}

try {
  await declareCommands(commandWord(process.argv.slice(2)))
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof CommanderError)) throw error
  exitStatus = error.exitCode === 0 ? 0 : 2
  const mistake = new UsageError(
    error.code === 'commander.help'
      ? 'no command was named'
      : error.message.replace(/^error: /, ''),
    'tillage --help lists the commands, and COMMAND --help what each takes.',
  )
  if (exitStatus !== 0 && process.argv.includes('--json'))
    createTerminal(true).print(JSON.stringify({ error: errorAsJson(mistake) }))
}
// Temporal's runtime would hold a process that failed before its first worker; what was printed
// goes out first.
process.stdout.write('', () => process.exit(exitStatus))
