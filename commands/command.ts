import { InvalidArgumentError, Option } from 'commander'
import type { Config } from '../config.ts'
import type { Log } from '../log/log.ts'
import { readDay } from './arguments/day-words.ts'
import type { Terminal } from './terminal/terminal.ts'

/** What every command is called with. */
export interface Context {
  terminal: Terminal
  /** What happens while it runs, by `log:` of tillage.yaml; undefined: nobody keeps it. */
  log?: Log | undefined
  /** Says to whoever is at the terminal what no log may keep; undefined: `terminal.log` does. */
  tell?(text: string): void
  /** Aborted by Ctrl-C: end in order. */
  signal: AbortSignal
  /** Is read when a command asks for it, since some need none; throws a ConfigError. */
  readonly config: Config
}

/** Ends once the signal is aborted, also where it was before. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve =>
    signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true }),
  )

/** Options that every command understands, before and after its name. */
export interface GlobalOptions {
  config: string
  json: boolean
  store?: string
}

/** A command: what it takes, and the one call that it is. `run` answers the exit status. */
export interface Command<Options extends object, Names extends readonly unknown[]> {
  /** As Commander writes arguments: `<stream> <id>`, `[streams...]`. */
  takes?: string
  options?: readonly Option[]
  /** What stands below the options in its help. */
  notes?: string | undefined
  /** How to find what it `takes`, for who left that out: `tillage streams lists them`. */
  choose?: string
  /** It reads exports or audits: what other machines gave out into a bucket is brought before. */
  readsExports?: boolean
  /** It has nothing to do with stores, so `--store` is a mistake. */
  storeless?: boolean
  /** Options that mean nothing without one of some others, by camel case: `{ by: ['reissue'] }`. */
  needs?: Readonly<Record<string, readonly string[]>>
  /**
   * Where it shows or changes more than an ordinary run: what the audit log keeps of it, names, ids
   * and reasons alone. It is written before the command runs. Undefined: not in this case.
   */
  audited?(options: Options, ...names: Names): Readonly<Record<string, unknown>> | undefined
  run(context: Context, options: Options, ...names: Names): Promise<number>
}

export type AnyCommand = Command<Record<string, unknown>, readonly unknown[]>

/** A command that is only a heading for others: `schedule apply`, `schedule list`. */
export interface CommandFamily {
  /** Of each of them. */
  readsExports?: boolean
  subcommands: readonly { name: string; does: string; command: AnyCommand }[]
}

/** Keeps the types of one command between its own options and arguments and its `run`. */
export const declareCommand = <Options extends object, Names extends readonly unknown[] = []>(
  command: Command<Options, Names>,
): AnyCommand => command as unknown as AnyCommand

export const option = (flags: string, does: string): Option => new Option(flags, does)

/** A day, which may be `today` or `yesterday`. */
export const dayOption = (flags: string, does: string): Option =>
  option(flags, does).argParser(text => readDay(text))

/** The half-open range of store-local days that most commands take. */
export const days = (): Option[] => [
  dayOption('--from <day>', 'first store-local day, yyyy-MM-dd, or yesterday'),
  dayOption('--to <day>', 'day after the last, yyyy-MM-dd, or today'),
]

export function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('expected a whole number')
  return Number(text)
}

/** The same, and not 0. */
export function countingNumber(text: string): number {
  const number = wholeNumber(text)
  if (number === 0) throw new InvalidArgumentError('expected a whole number, 1 or more')
  return number
}

export const isFamily = (loaded: AnyCommand | CommandFamily): loaded is CommandFamily =>
  'subcommands' in loaded
