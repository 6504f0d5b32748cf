import { copyFileSync, constants, chmodSync, existsSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { copyDatabase, moveToNewName, refuseTaken } from '../connectors/database.ts'
import { DatabaseError, TillageError } from '../errors.ts'
import { memberSecretPath } from '../exports/books/member-secret.ts'
import { declareCommand } from './command.ts'
import type { Context } from './command.ts'
import { recordActIfKept, recordFailedAct } from './database/record-act.ts'
import { countOf } from './terminal/number.ts'

/**
 * `tillage backup FILE`: the database as it is at one moment, and the member secret beside it, both
 * verified. May run beside a sync. Never overwrites a file.
 */
async function backup(context: Context, _options: object, name: string): Promise<number> {
  const { config, terminal } = context
  const { database, exports } = config
  const file = resolve(name)
  const secret = existsSync(memberSecretPath(database)) ? memberSecretPath(file) : undefined
  refuseNothingRead(database)
  refuseTaken(file)
  refuseTaken(memberSecretPath(file))
  const [act, detail] = ['backup', { file }] as const
  recordUnlessReadOnly(context, { act, detail })
  const copy = await copyBoth(context, file, secret).catch((error: unknown) => {
    recordFailedAct(database, { act, detail }, error)
    throw error
  })
  const report = { file, memberSecret: secret ?? null, ...copy, keepAlso: [exports] }
  terminal.print(terminal.json ? JSON.stringify(report) : describe(report))
  return 0
}

/** A disk that takes no more is a reason to copy what is on it, and not one against it. */
function recordUnlessReadOnly(
  { config: { database }, terminal }: Context,
  { act, detail }: { act: string; detail: object },
): void {
  try {
    recordActIfKept(database, act, { ...detail })
  } catch (error) {
    const isDisk =
      error instanceof DatabaseError && ['DATABASE_FULL', 'DATABASE_BROKEN'].includes(error.code)
    if (!isDisk) throw error
    terminal.log(
      `${error.message}; the copy is tried all the same, without a line in the audit log`,
    )
  }
}

/** Last of all the file gets its name: where it has that, the backup is whole. */
async function copyBoth(
  { config: { database }, terminal, signal }: Context,
  file: string,
  secret: string | undefined,
): Promise<Pick<BackupReport, 'windows' | 'bytes'>> {
  const draft = `${file}.${process.pid}.partial`
  const progress = (part: number): void =>
    terminal.progress(`${Math.floor(part * 100)} % of ${database} copied`)
  const copy = await copyDatabase(database, draft, { signal, progress })
  try {
    if (secret !== undefined) copySecret(memberSecretPath(database), secret)
    moveToNewName(draft, file)
    return copy
  } finally {
    rmSync(draft, { force: true })
  }
}

function refuseNothingRead(database: string): void {
  if (existsSync(database)) return
  throw new TillageError('NOT_PROVEN', `there is no database at ${database} to copy`, {
    remedy: 'Look at database: in tillage.yaml; tillage sync makes it.',
  })
}

/** Fails where the target exists. */
export function copySecret(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_EXCL)
  chmodSync(to, 0o600)
}

interface BackupReport {
  file: string
  memberSecret: string | null
  windows: number
  bytes: number
  keepAlso: string[]
}

const describe = ({ file, memberSecret, windows, bytes, keepAlso }: BackupReport): string =>
  [
    `${file}: ${countOf(windows, 'window')}, ${(bytes / 1e6).toFixed(1)} MB; integrity check passed`,
    memberSecret === null
      ? 'there is no member secret yet: it is made by the first export with members'
      : `${memberSecret}: the member secret; keep both together`,
    '',
    'Not in it, and to be kept besides:',
    ...keepAlso.map(path => `  ${path}: the files that were given out`),
    '  tillage.yaml and the keys',
  ].join('\n')

export const command = declareCommand({
  takes: '<file>',
  notes: 'Safe beside a running sync; never overwrites a file.',
  storeless: true,
  run: backup,
})
