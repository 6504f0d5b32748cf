import { COMMAND_GROUPS, COMMANDS } from './index.ts'
import { USUAL_WIDTH } from './terminal/started-as.ts'
import { wrap } from './terminal/wrap.ts'

/** What every command understands, before and after its name. */
const GLOBAL_OPTIONS = [
  ['--config FILE', 'the configuration (default: tillage.yaml); - is stdin'],
  ['--json', 'one JSON document on stdout, everything else on stderr'],
  ['--store ID', 'one store only'],
  ['--version', 'which Tillage this is'],
] as const

/** A heading stands beside the first of its lines, so that all of it fits one screen. */
const HEADING_WIDTH = 9
const NAME_WIDTH = 14

/** What `tillage --help` says: every command in one line, below 80 columns. */
export function formatHelp(): string {
  const groups = Object.entries(COMMAND_GROUPS).map(([group, heading]) => ({
    heading,
    lines: COMMANDS.filter(one => one.group === group).map(({ name, does }) => lineOf(name, does)),
  }))
  const options = {
    heading: 'Options',
    lines: GLOBAL_OPTIONS.map(([flags, does]) => lineOf(flags, does)),
  }
  return [
    'Usage: tillage COMMAND [options]          what one takes: tillage COMMAND --help',
    ...[...groups, options].flatMap(({ heading, lines }) =>
      lines.map((line, at) => `${(at === 0 ? heading : '').padEnd(HEADING_WIDTH)}${line}`),
    ),
    'Docs: tillage help PAGE, like importers, journals, compliance, operating, errors',
    '',
  ].join('\n')
}

const lineOf = (name: string, does: string): string => `${name.padEnd(NAME_WIDTH)}${does}`

/** What stands below the options in a command's help; lines that fit stay as they are. */
export const formatNotes = (notes: string): string =>
  notes
    .split('\n')
    .flatMap(line => wrap(line, USUAL_WIDTH))
    .join('\n')
