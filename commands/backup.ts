import { copyFileSync, constants, chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { copyDatabase, moveToNewName, refuseTaken } from '../connectors/database.ts'
import { DatabaseError, TillageError } from '../errors.ts'
import { memberSecretPath } from '../exports/books/member-secret.ts'
import { copiesPath, copyListed, foldersOf, listFiles, listPath } from './backup/listed-files.ts'
import { settingsPath, settingsWithoutKeys } from './backup/settings-without-keys.ts'
import { declareCommand, option } from './command.ts'
import type { Context } from './command.ts'
import { recordActIfKept, recordFailedAct } from './database/record-act.ts'
import { countOf } from './terminal/number.ts'

/**
 * `tillage backup FILE`: all that must survive. The database as it is at one moment, and beside it
 * the member secret, the settings without keys, and the list of the files that the database knows,
 * with their hashes; with `--files` these files, too. May run beside a sync. Never overwrites.
 */
async function backup(
  context: Context,
  { files: wantsFiles = false }: { files?: boolean },
  name: string,
): Promise<number> {
  const { config, terminal } = context
  const { database } = config
  const file = resolve(name)
  const secret = existsSync(memberSecretPath(database)) ? memberSecretPath(file) : undefined
  refuseNothingRead(database)
  for (const path of [file, memberSecretPath(file), settingsPath(file), listPath(file)])
    refuseTaken(path)
  if (wantsFiles) refuseTaken(copiesPath(file))
  const [act, detail] = ['backup', { file }] as const
  recordUnlessReadOnly(context, { act, detail })
  const copy = await copyAll(context, file, { secret, wantsFiles }).catch((error: unknown) => {
    recordFailedAct(database, { act, detail }, error)
    throw error
  })
  const report = {
    file,
    memberSecret: secret ?? null,
    ...copy,
    keepAlso: wantsFiles ? [] : Object.values(foldersOf(config)).filter(path => existsSync(path)),
  }
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
async function copyAll(
  { config, terminal, signal }: Context,
  file: string,
  { secret, wantsFiles }: { secret: string | undefined; wantsFiles: boolean },
): Promise<Pick<BackupReport, 'windows' | 'bytes' | 'settings' | 'list' | 'files'>> {
  const { database } = config
  const draft = `${file}.${process.pid}.partial`
  const progress = (part: number): void =>
    terminal.progress(`${Math.floor(part * 100)} % of ${database} copied`)
  const copy = await copyDatabase(database, draft, { signal, progress })
  try {
    // After the database: a file that it knows is in the list.
    const list = await listFiles(config, { progress: terminal.progress, signal })
    if (wantsFiles) {
      const [from, to] = [foldersOf(config), copiesPath(file)]
      copyListed(
        list.files,
        folder => from[folder],
        folder => join(to, folder),
      )
    }
    writeNew(listPath(file), `${JSON.stringify(list, undefined, 1)}\n`)
    writeNew(settingsPath(file), settingsWithoutKeys(config.file))
    if (secret !== undefined) copySecret(memberSecretPath(database), secret)
    moveToNewName(draft, file)
    const { length: files } = list.files
    return { ...copy, settings: settingsPath(file), list: listPath(file), files }
  } finally {
    rmSync(draft, { force: true })
  }
}

const writeNew = (path: string, text: string): void =>
  writeFileSync(path, text, { flag: 'wx', mode: 0o600 })

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
  /** The settings without keys. */
  settings: string
  /** The list of files with their hashes, and how many it has. */
  list: string
  files: number
  keepAlso: string[]
}

const describe = ({
  file,
  memberSecret,
  windows,
  bytes,
  settings,
  list,
  files,
  keepAlso,
}: BackupReport): string =>
  [
    `${file}: ${countOf(windows, 'window')}, ${(bytes / 1e6).toFixed(1)} MB; integrity check passed`,
    memberSecret === null
      ? 'there is no member secret yet: it is made by the first export with members'
      : `${memberSecret}: the member secret; keep both together`,
    `${settings}: tillage.yaml without keys`,
    keepAlso.length > 0 || files === 0
      ? `${list}: ${countOf(files, 'file')} that it knows, with their hashes`
      : `${list}: ${countOf(files, 'file')} that it knows; they are in the folder beside it`,
    '',
    'Not in it, and to be kept besides:',
    ...keepAlso.map(path => `  ${path}: the files themselves (tillage backup --files takes them)`),
    '  the keys',
  ].join('\n')

export const command = declareCommand({
  takes: '<file>',
  options: [option('--files', 'also copy exports and plans, not only their hashes')],
  notes: 'Safe beside a running sync; never overwrites a file.',
  storeless: true,
  run: backup,
})
