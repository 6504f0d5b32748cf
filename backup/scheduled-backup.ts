import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DAY_MS, toIso } from '../calendar/days.ts'
import { UsageError } from '../errors.ts'
import { makeBackup, namesOf } from './make-backup.ts'
import type { Backup, BackupOrder, BackupSource } from './make-backup.ts'
import type { BackupSettings } from './settings.ts'

/** `tillage-2026-11-24T07-30-00Z.db`: by their names the newest are told from the oldest. */
export const nameOfBackup = (atMs: number): string =>
  `tillage-${toIso(atMs).slice(0, 19).replaceAll(':', '-')}Z.db`

const OURS = /^tillage-(\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2})Z\.db(?=$|[.-])/

/** A backup that was made by schedule; what somebody else has put into the folder is none. */
const nameIn = (entry: string): string | undefined => OURS.exec(entry)?.[0]

/**
 * Of the entries of a folder, the scheduled backups that go: whole ones beyond the newest `keep`,
 * and what is left of attempts that were killed, once they are a day old. Pure.
 */
export function outdatedBackups(
  entries: readonly string[],
  { keep, nowMs }: { keep: number; nowMs: number },
): string[] {
  const names = [...new Set(entries.flatMap(entry => nameIn(entry) ?? []))].toSorted()
  const whole = names.filter(name => entries.includes(name))
  const dayAgo = nameOfBackup(nowMs - DAY_MS)
  const leftOver = names.filter(name => !whole.includes(name) && name < dayAgo)
  return [...whole.slice(0, Math.max(0, whole.length - keep)), ...leftOver]
}

/** Makes one, verifies it, and only then removes the oldest. */
export async function makeScheduledBackup(
  source: BackupSource,
  { to, keep, files }: Pick<BackupSettings, 'to' | 'keep' | 'files'>,
  { nowMs, signal }: { nowMs: number } & Pick<BackupOrder, 'signal'>,
): Promise<Backup & { removed: number }> {
  if (!existsSync(to)) throw noFolder(to)
  const made = await makeBackup(source, {
    file: join(to, nameOfBackup(nowMs)),
    wantsFiles: files,
    signal,
    progress: () => {},
    log: () => {},
  })
  const outdated = outdatedBackups(readdirSync(to), { keep, nowMs })
  for (const name of outdated) removeBackup(to, name)
  return { ...made, removed: outdated.length }
}

/** First the database: without it nobody takes the rest for a backup. */
function removeBackup(folder: string, name: string): void {
  for (const path of namesOf(join(folder, name))) rmSync(path, { recursive: true, force: true })
  for (const entry of readdirSync(folder))
    if (nameIn(entry) === name) rmSync(join(folder, entry), { recursive: true, force: true })
}

const noFolder = (to: string): UsageError =>
  new UsageError(
    `there is no folder ${to} for backups`,
    'Make it, or mount its disk; backup: in tillage.yaml names it.',
  )
