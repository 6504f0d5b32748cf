import { isAbsolute, relative } from 'node:path'
import { COMMANDS } from '../index.ts'
import { shellWord } from './shell-word.ts'
import { wrapMessage } from './wrap.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The scripts of package.json that start the program in a clone. */
const SCRIPTS = ['tillage', 'demo']

/**
 * What has to be typed to start this program again: as far as npm says how it was started, and with
 * the configuration that was named.
 */
export const startedAs = (
  environment: Environment = process.env,
  args: readonly string[] = process.argv.slice(2),
): string => `${programOf(environment)}${configOf(args)}`

function programOf(environment: Environment): string {
  if (environment['npm_command'] === 'exec') return 'npx tillage'
  const isOurs = environment['npm_package_name'] === 'tillage'
  const isScript = SCRIPTS.includes(environment['npm_lifecycle_event'] ?? '')
  return isOurs && isScript ? 'npm run -s tillage --' : 'tillage'
}

/** What came on standard input is not there again. */
function configOf(args: readonly string[]): string {
  const at = args.findIndex(arg => arg === '--config' || arg.startsWith('--config='))
  if (at < 0) return ''
  const file = args[at]!.slice('--config='.length) || (args[at + 1] ?? '-')
  return file === '-' ? '' : ` --config ${shellWord(file)}`
}

/** `tillage` before the name of a command, where nothing says yet how to start it. */
const CALLS = new RegExp(
  `(?<![\\w./-]|npx )tillage (?=(?:${COMMANDS.map(({ name }) => name).join('|')})\\b)`,
  'g',
)

/**
 * Every message names commands as `tillage sync`; whoever reads it is told what to type: in a clone
 * that is `npm run -s tillage -- sync`.
 */
export const sayAsStarted = (text: string, program = startedAs()): string =>
  program === 'tillage' ? text : text.replaceAll(CALLS, `${program} `)

/** Where nobody says how wide: what every terminal has, and what a mail or a log shows whole. */
export const USUAL_WIDTH = 80

/** As wide as the terminal; a pipe or a file has the width that COLUMNS says. */
export const startedWidth = (): number =>
  process.stdout.columns || Number(process.env['COLUMNS']) || USUAL_WIDTH

/** Prose that is printed, in lines that the terminal does not break. */
export const fold = (text: string): string =>
  wrapMessage(sayAsStarted(text), startedWidth(), startedAs())

/** A path as it can be typed from the folder in which the program was started, or an address. */
export function pathFromHere(path: string): string {
  if (path.includes('://')) return path
  const near = relative(process.cwd(), path)
  return near.startsWith('..') || isAbsolute(near) ? path : near || '.'
}
