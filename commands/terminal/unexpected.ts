import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { codeOf } from '../../disk.ts'
import { TillageError } from '../../errors.ts'
import { withoutSecrets } from '../../secrets.ts'
import { VERSION } from '../../version.ts'
import { nameSources } from './name-sources.ts'

/** A log that has grown so large begins anew: the last errors are those that count. */
const LARGEST_LOG = 1_000_000

/** Where an error came up. */
export interface Occasion {
  /** Of `tillage.yaml`: its folder gets the log. */
  localFiles: string
  /** `export`, `push apply`, ... */
  command: string
}

/**
 * An error that no step has explained, as one sentence with a code; its stack goes into
 * `errors.log` beside the database. Where that cannot be written, the error comes back as it is, to
 * be shown whole.
 */
export function explainUnexpected(error: unknown, { localFiles, command }: Occasion): unknown {
  if (error instanceof TillageError) return error
  const log = join(dirname(localFiles), 'errors.log')
  try {
    writeEntry(log, `${new Date().toISOString()} ${VERSION} tillage ${command}\n${wholeOf(error)}`)
  } catch {
    return error
  }
  const said = error instanceof Error ? error.message : String(error)
  const remedy = `The details are at the end of ${log}.`
  const code = codeOf(error)
  if (code.startsWith('SQLITE_'))
    return new TillageError(
      'DATABASE_BROKEN',
      `SQLite failed in ${localFiles} (${code}: ${said})`,
      {
        cause: error,
        remedy:
          'Another program may have changed its tables: tillage restore FILE --replace puts a backup ' +
          `in its place, and moves this one aside. ${remedy}`,
      },
    )
  return new TillageError('UNKNOWN', `tillage ${command} failed unexpectedly: ${said}`, {
    cause: error,
    remedy: `${remedy} Run the command again; if it fails again, report it with these lines.`,
  })
}

function writeEntry(log: string, entry: string): void {
  const isLarge = existsSync(log) && statSync(log).size > LARGEST_LOG
  mkdirSync(dirname(log), { recursive: true })
  writeFileSync(log, `${withoutSecrets(entry)}\n\n`, { flag: isLarge ? 'w' : 'a', mode: 0o600 })
}

/** The stack, and those of what caused it. */
function wholeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const own = nameSources(error.stack ?? error.message)
  return error.cause === undefined ? own : `${own}\ncaused by: ${wholeOf(error.cause)}`
}
