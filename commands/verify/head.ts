import { isThere } from '../../connectors/database.ts'
import type { LogHead } from '../../connectors/destination/written-evidence.ts'
import { UsageError } from '../../errors.ts'
import type { Context } from '../command.ts'
import { countOf } from '../terminal/number.ts'
import { logAtHand } from './log-at-hand.ts'
import type { LogAtHand, LogOptions } from './log-at-hand.ts'

type HeadOptions = LogOptions & { head?: string }

/** `tillage verify --print-head`: one line that vouches for everything the log has so far. */
export async function printHead(
  context: Pick<Context, 'terminal' | 'config'>,
  options: HeadOptions,
  database: string | undefined,
): Promise<number> {
  const { terminal } = context
  const { log } = await requireLog(context, options, database)
  const line = headLine(log.heads)
  if (line === undefined)
    throw new UsageError('the audit log has no entry yet', 'There is nothing to keep.')
  const counts = Object.fromEntries(
    COVERED.map(kind => [`${kind}s`, log.written.filter(one => one.kind === kind).length]),
  )
  if (terminal.json) terminal.print(JSON.stringify({ head: line, covers: counts }))
  else terminal.print(line)
  const covered = COVERED.map(kind => countOf(counts[`${kind}s`]!, kind)).join(', ')
  terminal.log(`It covers ${countOf(log.heads.length, 'entry', 'entries')}, of them ${covered}.`)
  for (const broken of log.breaks) terminal.log(`the audit log is broken: ${broken}`)
  return log.breaks.length === 0 ? 0 : 1
}

const COVERED = ['plan', 'approval', 'receipt', 'manifest'] as const

/** `tillage verify --head LINE`: 0 if the log goes on from there and holds, 1 if not. */
export async function checkHead(
  context: Pick<Context, 'terminal' | 'config'>,
  options: HeadOptions,
  database: string | undefined,
): Promise<number> {
  const { terminal } = context
  const kept = parseHead(options.head!)
  if (kept === undefined)
    throw new UsageError(
      `${JSON.stringify(options.head)} is not the head of an audit log`,
      'Give the line as --print-head has printed it: a number, a blank, 64 hexadecimal digits.',
    )
  const { log } = await requireLog(context, options, database)
  const found = compareHead(log.heads, kept)
  if (terminal.json) terminal.print(JSON.stringify({ ...found, breaks: log.breaks }))
  else if (!found.continues) terminal.print(`this is not that audit log: ${found.why}`)
  else
    terminal.print(
      found.later === 0
        ? `the audit log ends with entry ${kept.seq}, as it did`
        : `the audit log goes on from entry ${kept.seq}: ` +
            `${countOf(found.later, 'entry', 'entries')} came since`,
    )
  if (!terminal.json) for (const broken of log.breaks) terminal.print(broken)
  return found.continues && log.breaks.length === 0 ? 0 : 1
}

async function requireLog(
  context: Pick<Context, 'terminal' | 'config'>,
  options: HeadOptions,
  database: string | undefined,
): Promise<LogAtHand> {
  if (database !== undefined && !(await isThere(database)))
    throw new UsageError(`there is no database at ${database}`, 'Name the path of a tillage.db.')
  const named = database === undefined ? options : { ...options, database }
  const found = await logAtHand(context, named)
  if (found !== undefined) return found
  throw new UsageError(
    'no database with a readable audit log was found here',
    'Name one: tillage verify DATABASE --print-head',
  )
}

/**
 * The head of an audit log as one line, to keep where nobody who can write the log can:
 * `412 9f86d0...`; undefined: the log has no entry yet.
 */
function headLine(heads: readonly LogHead[]): string | undefined {
  const head = heads.at(-1)
  return head === undefined ? undefined : `${head.seq} ${head.hash}`
}

/** Undefined where the text is no such line. */
function parseHead(line: string): LogHead | undefined {
  const [, seq, hash] = /^\s*(\d{1,15})\s+([0-9a-f]{64})\s*$/.exec(line) ?? []
  return seq === undefined || hash === undefined ? undefined : { seq: Number(seq), hash }
}

type Continuation = { continues: true; later: number } | { continues: false; why: string }

/** Whether a log is the one whose head was kept, with what came since. */
function compareHead(heads: readonly LogHead[], kept: LogHead): Continuation {
  const at = heads.findIndex(({ seq }) => seq === kept.seq)
  if (at === -1) {
    const last = heads.at(-1)?.seq
    const end = last === undefined ? 'it is empty' : `its last is ${last}`
    return { continues: false, why: `it has no entry ${kept.seq}; ${end}` }
  }
  return heads[at]!.hash === kept.hash
    ? { continues: true, later: heads.length - 1 - at }
    : { continues: false, why: `its entry ${kept.seq} differs` }
}
