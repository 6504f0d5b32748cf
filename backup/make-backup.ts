import { chmodSync, constants, copyFileSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { copyDatabase, moveToNewName, refuseTaken } from '../connectors/database.ts'
import { DatabaseError, TillageError } from '../errors.ts'
import { memberSecretPath } from '../exports/sales/member-secret.ts'
import { recordActIfKept, recordFailedAct } from '../record-act.ts'
import { copiesPath, copyListed, foldersOf, listFiles, listPath } from './listed-files.ts'
import { settingsPath, settingsWithoutKeys } from './settings-without-keys.ts'

/** What a backup is made of. */
export type BackupSource = Pick<Config, 'database' | 'exports' | 'objects'> & {
  written: Pick<Config['written'], 'text' | 'storeFiles'>
}

export interface BackupOrder {
  /** Where the copy of the database goes; everything else has its name and an ending. */
  file: string
  /** Also copies exports and plans, not only their hashes. */
  wantsFiles: boolean
  signal: AbortSignal
  progress(line: string): void
  /** Hears why there is no line in the audit log, where the disk takes none. */
  log(line: string): void
}

export interface Backup {
  file: string
  /** Null: there is none before the first export with members. */
  memberSecret: string | null
  windows: number
  bytes: number
  /** The settings without keys. */
  settings: string
  /** The list of files with their hashes, and how many it has. */
  list: string
  files: number
}

/**
 * All that must survive: the database as it is at one moment, verified, and beside it the member
 * secret, the settings without keys, and the list of the files that the database knows. May run
 * beside a sync. Never overwrites. Last of all the database's copy gets its name: where it has
 * that, the backup is whole.
 */
export async function makeBackup(source: BackupSource, order: BackupOrder): Promise<Backup> {
  const { database } = source
  const { file } = order
  refuseNothingRead(database)
  for (const path of namesOf(file)) refuseTaken(path)
  const [act, detail] = ['backup', { file }] as const
  await recordUnlessReadOnly(database, { act, detail }, order.log)
  try {
    return await copyAll(source, order)
  } catch (error) {
    await recordFailedAct(database, { act, detail }, error)
    throw error
  }
}

/** The file of a backup, and everything beside it. */
export const namesOf = (file: string): string[] => [
  file,
  memberSecretPath(file),
  settingsPath(file),
  listPath(file),
  copiesPath(file),
]

async function copyAll(source: BackupSource, order: BackupOrder): Promise<Backup> {
  const { database } = source
  const { file, signal, progress } = order
  const draft = `${file}.${process.pid}.partial`
  const madeAt = new Date().toISOString()
  const copy = await copyDatabase(database, draft, {
    signal,
    progress: part => progress(`${Math.floor(part * 100)} % of ${database} copied`),
  })
  try {
    const files = await copyFiles(source, order, madeAt)
    writeNew(settingsPath(file), settingsWithoutKeys(source.written))
    const memberSecret = copyMemberSecret(database, file)
    moveToNewName(draft, file)
    return { file, memberSecret, ...copy, settings: settingsPath(file), ...files }
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Called after the database was copied: a file that the copy knows is in the list. */
async function copyFiles(
  source: BackupSource,
  { file, wantsFiles, progress, signal }: BackupOrder,
  madeAt: string,
): Promise<Pick<Backup, 'list' | 'files'>> {
  const list = await listFiles(source, { madeAt, progress, signal })
  if (wantsFiles) {
    const [from, to] = [foldersOf(source), copiesPath(file)]
    copyListed(
      list.files,
      folder => from[folder],
      folder => join(to, folder),
    )
  }
  writeNew(listPath(file), `${JSON.stringify(list, undefined, 1)}\n`)
  return { list: listPath(file), files: list.files.length }
}

function copyMemberSecret(database: string, file: string): string | null {
  const [from, to] = [memberSecretPath(database), memberSecretPath(file)]
  if (!existsSync(from)) return null
  copySecret(from, to)
  return to
}

/** Fails where the target exists. */
export function copySecret(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_EXCL)
  chmodSync(to, 0o600)
}

const writeNew = (path: string, text: string): void =>
  writeFileSync(path, text, { flag: 'wx', mode: 0o600 })

/** A disk that takes no more is a reason to copy what is on it, and not one against it. */
async function recordUnlessReadOnly(
  database: string,
  { act, detail }: { act: string; detail: object },
  log: (line: string) => void,
): Promise<void> {
  try {
    await recordActIfKept(database, act, { ...detail })
  } catch (error) {
    const isDisk =
      error instanceof DatabaseError && ['DATABASE_FULL', 'DATABASE_BROKEN'].includes(error.code)
    if (!isDisk) throw error
    log(`${error.message}; the copy is tried all the same, without a line in the audit log`)
  }
}

function refuseNothingRead(database: string): void {
  if (existsSync(database)) return
  throw new TillageError('NOT_PROVEN', `there is no database at ${database} to copy`, {
    remedy: 'Look at database: in tillage.yaml; tillage sync makes it.',
  })
}
