import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import {
  compareFiles,
  copiesPath,
  copyListed,
  foldersOf,
  readList,
} from '../backup/listed-files.ts'
import { copySecret } from '../backup/make-backup.ts'
import { settingsPath } from '../backup/settings-without-keys.ts'
import {
  copyDatabase,
  forgottenOnlyIn,
  markRestored,
  giveNewIdentity,
  moveAside,
  moveToNewName,
} from '../connectors/database.ts'
import { databaseFiles } from '../disk.ts'
import { DatabaseError, UsageError } from '../errors.ts'
import { memberSecretPath } from '../exports/sales/member-secret.ts'
import { recordActIfKept } from '../record-act.ts'
import { refuseServer } from './backup/refuse-server.ts'
import { declareCommand, option } from './command.ts'
import type { Context } from './command.ts'
import { countOf } from './terminal/number.ts'

/**
 * `tillage restore FILE`: puts a backup where `database:` says. What is there is refused or, with
 * `--replace`, moved aside; it is never deleted.
 */
async function restore(
  { config, terminal, signal }: Context,
  { replace = false }: { replace?: boolean },
  name: string,
): Promise<number> {
  refuseServer(config, 'restore')
  const { database } = config
  const file = resolve(name)
  if (!existsSync(file)) throw new UsageError(`there is no file ${file}`, 'Name a backup.')
  const standing = standingFiles(database, file)
  if (standing.length > 0 && !replace) throw refuseStanding(standing)
  mkdirSync(dirname(database), { recursive: true, mode: 0o700 })
  const draft = `${database}.${process.pid}.partial`
  const copy = await copyBackup(file, draft, { terminal, signal })
  const aside = standing.length > 0 ? asideName(database) : null
  try {
    giveNewIdentity(draft)
    if (aside !== null) {
      moveStanding(database, aside, standing)
      terminal.log(`what was there is now ${aside}`)
    }
    restoreSecret(file, database)
    moveToNewName(draft, database)
  } finally {
    rmSync(draft, { force: true })
  }
  await recordActIfKept(database, 'restore', { from: file, movedAside: aside })
  const forgotten = aside === null ? [] : forgottenOnlyIn(aside, database)
  const report = {
    database,
    from: file,
    movedAside: aside,
    ...copy,
    ...(await bringBackFiles(config, file)),
    forgetAgain: forgotten,
  }
  terminal.print(terminal.json ? JSON.stringify(report) : describe(report))
  return report.missing.length + report.different.length > 0 ? 3 : 0
}

/** Files that the backup has are copied to where they belong; what is missing is told. */
async function bringBackFiles(
  config: Context['config'],
  backup: string,
): Promise<Pick<RestoreReport, 'settings' | 'files' | 'missing' | 'different'>> {
  const settings = existsSync(settingsPath(backup)) ? settingsPath(backup) : null
  const list = readList(backup)
  if (list === undefined) return { settings, files: null, missing: [], different: [] }
  const [from, to] = [copiesPath(backup), foldersOf(config)]
  copyListed(
    list.files,
    folder => join(from, folder),
    folder => to[folder],
  )
  const { listed: files, ...found } = await compareFiles(list, config)
  return { settings, files, ...found }
}

/** The copy knows that it is one before it has its name: nothing is sent from it blindly. */
async function copyBackup(
  file: string,
  draft: string,
  { terminal, signal }: Pick<Context, 'terminal' | 'signal'>,
): Promise<Awaited<ReturnType<typeof copyDatabase>> & Pick<RestoreReport, 'searchFirst'>> {
  const progress = (part: number): void =>
    terminal.progress(`${Math.floor(part * 100)} % of ${file} copied`)
  try {
    const backupAt = readList(file)?.madeAt
    const copy = await copyDatabase(file, draft, { signal, progress })
    const at = new Date().toISOString()
    return { ...copy, searchFirst: markRestored(draft, { backupAt, at }) }
  } catch (error) {
    throw ofBackup(file, error)
  }
}

/** A damaged backup is no reason to move the database aside that was to be replaced. */
const ofBackup = (file: string, error: unknown): unknown =>
  error instanceof DatabaseError && error.code === 'DATABASE_BROKEN'
    ? new DatabaseError('DATABASE_BROKEN', `${file} cannot be restored: ${error.message}`, {
        cause: error,
        remedy: 'Nothing was changed. Take another backup.',
      })
    : error

/** A secret of the same content stays, and one for which the backup has no other. */
function standingFiles(database: string, backup: string): string[] {
  const [secret, other] = [memberSecretPath(database), memberSecretPath(backup)]
  const differs =
    existsSync(secret) && existsSync(other) && !readFileSync(secret).equals(readFileSync(other))
  return [...databaseFiles(database).filter(path => existsSync(path)), ...(differs ? [secret] : [])]
}

const refuseStanding = (standing: readonly string[]): UsageError =>
  new UsageError(
    `${standing[0]} exists; nothing was changed`,
    'With --replace it is moved aside under a dated name, and the backup takes its place.',
  )

/** `tillage.db.replaced-2026-03-01T08-00-00-000Z` */
const asideName = (database: string): string =>
  `${database}.replaced-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`

function moveStanding(database: string, aside: string, standing: readonly string[]): void {
  moveAside(database, aside)
  const secret = memberSecretPath(database)
  if (standing.includes(secret)) moveToNewName(secret, memberSecretPath(aside))
}

function restoreSecret(backup: string, database: string): void {
  const [from, to] = [memberSecretPath(backup), memberSecretPath(database)]
  if (existsSync(from) && !existsSync(to)) copySecret(from, to)
}

interface RestoreReport {
  database: string
  from: string
  movedAside: string | null
  windows: number
  /** The settings that the backup was made by, without keys; null: it has none. */
  settings: string | null
  /** How many files its database knows; null: it has no list of them. */
  files: number | null
  /** Of these, what is not where it belongs, and what has other bytes there. */
  missing: string[]
  different: string[]
  /** When people were forgotten who are in the database again. */
  forgetAgain: string[]
  /** Plans that were not finished: what may have been sent since is searched for first. */
  searchFirst: string[]
}

const describe = (report: RestoreReport): string =>
  [
    `${report.database}: ${countOf(report.windows, 'window')} from ${report.from}; ` +
      'integrity check passed',
    ...describeFiles(report),
    'What was read since the backup is read again: tillage status says from when.',
    ...report.forgetAgain.map(
      at =>
        `who was forgotten at ${at} is in it again: tillage forget MEMBER, ` +
        'as its certificate says',
    ),
    ...report.searchFirst.map(
      plan =>
        `${plan} was not finished when the backup was made: before anything of it is sent, ` +
        'the API is searched for what was sent since',
    ),
  ].join('\n')

const SHOWN = 5

function describeFiles({ settings, files, missing, different }: RestoreReport): string[] {
  const some = (paths: readonly string[], what: string): string[] => [
    ...paths.slice(0, SHOWN).map(path => `  ${path} ${what}`),
    ...(paths.length > SHOWN ? [`  and ${countOf(paths.length - SHOWN, 'more file')} so`] : []),
  ]
  return [
    ...(files === null
      ? ['the backup has no list of files: those that were given out belong into exports']
      : [`${countOf(files - missing.length - different.length, 'file')} of ${files} are in place`]),
    ...some(missing, 'is missing: copy it back'),
    ...some(different, 'is not what the database knows'),
    ...(settings === null ? [] : [`the settings of the backup, without keys: ${settings}`]),
  ]
}

export const command = declareCommand({
  takes: '<file>',
  options: [option('--replace', 'move the existing database aside, under a dated name')],
  notes: 'Stop everything else first. Refuses to overwrite a database.',
  storeless: true,
  run: restore,
})
