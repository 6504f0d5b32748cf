import { setImmediate as nextTurn } from 'node:timers/promises'
import { Command, CommanderError, Help } from 'commander'
import { firstError } from './closing.ts'
import { refuseAlone } from './commands/arguments/needed-options.ts'
import { isFamily } from './commands/command.ts'
import type { AnyCommand, Context, GlobalOptions } from './commands/command.ts'
import { formatHelp, formatNotes } from './commands/help.ts'
import { pageNames, readPage } from './commands/help/pages.ts'
import { COMMANDS } from './commands/index.ts'
import { createTerminal } from './commands/terminal/create-terminal.ts'
import type { TerminalStreams } from './commands/terminal/create-terminal.ts'
import { errorAsJson, exitStatusOf, formatError } from './commands/terminal/error.ts'
import { sayAsStarted } from './commands/terminal/started-as.ts'
import { loadConfig } from './config.ts'
import { codeOf, explainFileError, requireFreeFiles } from './disk.ts'
import { ConfigError, TillageError, UsageError } from './errors.ts'
import { suggest } from './names.ts'
import { isOfServer } from './temporal/grpc-codes.ts'
import { VERSION } from './version.ts'

/** What a call of the program is given. */
export interface ProgramCall {
  /** Without the program's own name. */
  args: readonly string[]
  streams: TerminalStreams
  /** Aborted by Ctrl-C: end in order. */
  signal: AbortSignal
}

/** Runs what the arguments ask for, in this process, and answers the exit status. */
export async function runProgram(call: ProgramCall): Promise<number> {
  const page = pageAsked(call.args)
  if (page !== undefined) {
    call.streams.stdout.write(page)
    return 0
  }
  const unknown = describeUnknownTopic(call.args)
  if (unknown !== undefined) {
    const terminal = createTerminal(call.args.includes('--json'), call.streams)
    terminal.log(formatError(unknown))
    if (terminal.json) terminal.print(JSON.stringify({ error: errorAsJson(unknown) }))
    return 2
  }
  const { program, outcome } = declareProgram(call)
  try {
    await declareCommands(program, call, outcome)
    await program.parseAsync(call.args, { from: 'user' })
    return outcome.status
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return reportMistake(error, call)
  }
}

/** What `help TOPIC` prints: a page of docs/, or the list of them for `help pages`. */
function pageAsked([word, topic]: readonly string[]): string | undefined {
  if (word !== 'help' || topic === undefined) return undefined
  if (topic === 'pages') return `${pageNames().join('\n')}\n`
  return COMMANDS.some(({ name }) => name === topic) ? undefined : readPage(topic)
}

/** Commander would show the help of everything, as if that had been asked for. */
function describeUnknownTopic([word, topic]: readonly string[]): UsageError | undefined {
  const commands = ['help', ...COMMANDS.map(({ name }) => name)]
  if (word !== 'help' || topic === undefined || topic.startsWith('-') || commands.includes(topic))
    return undefined
  return new UsageError(
    `there is no command and no page ${JSON.stringify(topic)}`,
    `${suggest(topic, [...commands, ...pageNames()])}All pages: tillage help pages`,
  )
}

/** What the command that was run has answered. */
interface Outcome {
  status: number
}

function declareProgram({ streams }: ProgramCall): { program: Command; outcome: Outcome } {
  const program = new Command('tillage')
    .description('From the till to the books: reads what the stores did and proves that it is all.')
    .usage('<command> [options]')
    .version(VERSION)
    .option('--config <file>', 'configuration; - is stdin', 'tillage.yaml')
    .option('--json', 'one JSON document on stdout, everything else on stderr', false)
    .option('--store <id>', 'one store only', (id: string, others: string | undefined) =>
      // More than one are for commands that say so; all others know no store of that name.
      others === undefined ? id : `${others},${id}`,
    )
    .configureHelp({
      showGlobalOptions: true,
      // Long names of subcommands leave less than Commander's own limit for what they do.
      minWidthToWrap: 20,
      formatHelp: (command, help) =>
        command.name() === 'tillage'
          ? formatHelp()
          : Help.prototype.formatHelp.call(help, command, help),
    })
    .configureOutput({
      writeOut: text => streams.stdout.write(text),
      writeErr: text => streams.stderr.write(sayAsStarted(text)),
    })
    .addHelpCommand(
      new Command('help')
        .arguments('[command]')
        .description('the help of one command, or a page of docs/; all of them: help pages'),
    )
    .showHelpAfterError('(tillage --help lists the commands)')
    .exitOverride()
  return { program, outcome: { status: 0 } }
}

/** All are listed, and the one that is asked for is loaded. */
async function declareCommands(
  program: Command,
  call: ProgramCall,
  outcome: Outcome,
): Promise<void> {
  const asked = commandWord(call.args)
  for (const { name, does, load } of COMMANDS) {
    const command = program.command(name).description(does).helpCommand(false).exitOverride()
    if (name !== asked) continue
    const loaded = await load()
    const declare = (target: Command, path: string, declared: AnyCommand): void =>
      declareCommand(target, { path, ...declared }, async (options, names) => {
        outcome.status = await runCommand(path, declared, { call, options, names })
      })
    if (!isFamily(loaded)) declare(command, name, loaded)
    else
      for (const { name: inner, does: what, command: declared } of loaded.subcommands)
        declare(command.command(inner).description(what).exitOverride(), `${name} ${inner}`, {
          ...declared,
          ...(loaded.readsExports === true ? { readsExports: true } : {}),
        })
  }
}

/** The command that the arguments name, or that `help` is asked about. */
function commandWord(args: readonly string[]): string | undefined {
  const words = args.filter(
    (arg, at) => !arg.startsWith('-') && !/^--(config|store)$/.test(args[at - 1] ?? ''),
  )
  return words[0] === 'help' ? words[1] : words[0]
}

type GivenOptions = GlobalOptions & Record<string, unknown>

function declareCommand(
  command: Command,
  declared: AnyCommand & { path: string },
  run: (options: GivenOptions, names: readonly unknown[]) => Promise<void>,
): void {
  if (declared.takes !== undefined) command.arguments(declared.takes)
  for (const option of declared.options ?? []) command.addOption(option)
  command.showHelpAfterError(`(what it takes: tillage ${declared.path} --help)`)
  const { choose } = declared
  if (choose !== undefined)
    command.configureOutput({
      outputError: (text, write) =>
        write(text.includes('missing required argument') ? `${text}${choose}\n` : text),
    })
  if (declared.notes !== undefined) command.addHelpText('after', `\n${formatNotes(declared.notes)}`)
  command.action((...given: unknown[]) =>
    // Commander adds the options and the command itself behind the arguments.
    run(command.optsWithGlobals<GivenOptions>(), given.slice(0, -2)),
  )
}

/** One way of failing for all commands, and one exit status. */
async function runCommand(
  path: string,
  command: AnyCommand,
  {
    call: { streams, signal },
    options,
    names,
  }: { call: ProgramCall; options: GivenOptions; names: readonly unknown[] },
): Promise<number> {
  const terminal = createTerminal(options.json, streams)
  const context: Context = {
    terminal,
    signal,
    get config() {
      return loadConfig(options.config)
    },
  }
  try {
    // To load a command holds this thread: a signal that came meanwhile is heard in its next turn.
    await nextTurn()
    signal.throwIfAborted()
    requireFreeFiles()
    if (command.storeless === true && options.store !== undefined)
      throw new UsageError(`${path} has nothing to do with stores`, 'Leave out --store.')
    refuseAlone(command, options)
    const audited = command.audited?.(options, ...names)
    const work = async (): Promise<number> => {
      const ready = command.readsExports === true ? await withExports(context) : context
      return command.run(ready, options, ...names)
    }
    return await (audited === undefined
      ? work()
      : recorded(context, { act: path, detail: audited }, work))
  } catch (cause) {
    const error = await explain(context, path, cause)
    terminal.log(formatError(error))
    if (options.json) terminal.print(JSON.stringify({ error: errorAsJson(error) }))
    return exitStatusOf(error)
  } finally {
    terminal.end()
  }
}

/**
 * For a command that reads exports, with its settings as they were for that: what other machines
 * gave out is here. Of settings that are wrong, the command itself says so.
 */
async function withExports(context: Context): Promise<Context> {
  const { terminal, signal } = context
  let config
  try {
    config = context.config
  } catch (error) {
    if (error instanceof ConfigError) return context
    throw error
  }
  if (config.objects === undefined) return { terminal, signal, config }
  const { bringKnown, sayMissing } = await import('./books/bring-exports.ts')
  for (const why of await bringKnown(config)) terminal.log(sayMissing(why))
  return { terminal, signal, config }
}

/** What no step has explained, in one sentence that says what to do. */
async function explain(context: Context, command: string, cause: unknown): Promise<unknown> {
  const error = await explainKnown(context, firstError(cause))
  if (error instanceof TillageError) return error
  const { explainUnexpected } = await import('./commands/terminal/unexpected.ts')
  try {
    return explainUnexpected(error, { localFiles: context.config.localFiles, command })
  } catch {
    // Without a configuration there is no place for a log.
    return error
  }
}

/**
 * A file that cannot be written, a database that cannot be read, a Temporal server that fails.
 * SQLite and Temporal are loaded by the commands that need them.
 */
async function explainKnown(context: Context, error: unknown): Promise<unknown> {
  if (isStop(context.signal, error))
    return new TillageError('INTERRUPTED', 'stopped before the work was done', {
      remedy: 'What was committed stays. Run the same command again.',
    })
  if (isOfServer(error)) {
    const { asTemporalError } = await import('./temporal/server-error.ts')
    return asTemporalError(error, context.config.localFiles)
  }
  if (!codeOf(error).startsWith('SQLITE_')) return explainFileError(error)
  const { asDatabaseError } = await import('./connectors/database.ts')
  return asDatabaseError(context.config.localFiles, error)
}

/** What a request that was under way fails with once somebody has stopped the program. */
const isStop = (signal: AbortSignal, error: unknown): boolean =>
  signal.aborted && (error === signal.reason || nameOf(error) === 'AbortError')

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '')

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
  const { isThere } = await import('./connectors/database.ts')
  const { recordAct, recordFailedAct } = await import('./record-act.ts')
  const { database } = config
  const wasThere = await isThere(database)
  if (wasThere) await recordAct(database, act, detail)
  try {
    const status = await work()
    if (!wasThere) await recordAct(database, act, detail)
    return status
  } catch (error) {
    if (wasThere) await recordFailedAct(database, { act, detail }, error)
    throw error
  }
}

/** Commander has said on stderr what it does not understand; programs get it as JSON, too. */
function reportMistake(error: CommanderError, { args, streams }: ProgramCall): number {
  if (error.exitCode === 0) return 0
  const mistake = new UsageError(
    error.code === 'commander.help'
      ? 'no command was named'
      : error.message.replace(/^error: /, ''),
    'tillage --help lists the commands, and COMMAND --help what each takes.',
  )
  if (args.includes('--json'))
    createTerminal(true, streams).print(JSON.stringify({ error: errorAsJson(mistake) }))
  return 2
}
