import { createHash, randomUUID } from 'node:crypto'
import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { devNull, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { DatabaseError, UsageError } from './errors.ts'
import type { ErrorCode } from './errors.ts'

/** What a failure of the system below a file means to a user. */
interface Trouble {
  code: ErrorCode
  what(path: string): string
  remedy: string
}

const AGAIN = 'run the same command again: it goes on where it stopped.'

const FULL: Trouble = {
  code: 'DATABASE_FULL',
  what: path => `the disk that holds ${whatIsFull(path)} is full`,
  remedy: `Free some space and ${AGAIN}`,
}

const TOO_MANY: Trouble = {
  code: 'TOO_MANY_FILES',
  what: path => `${path} cannot be opened, for too many files are open`,
  remedy:
    'Raise the limit of open files (ulimit -n 1024), ' +
    `or end what else has many open, and ${AGAIN}`,
}

/** The one map of what the system says when a file cannot be opened or cannot grow. */
const TROUBLES: Readonly<Record<string, Trouble>> = {
  ENOSPC: FULL,
  SQLITE_FULL: FULL,
  EDQUOT: {
    code: 'DATABASE_FULL',
    what: path => `the quota on the disk that holds ${path} is used up`,
    remedy: `Free some space or get a larger quota, and ${AGAIN}`,
  },
  EFBIG: {
    code: 'DATABASE_FULL',
    what: path => `a file of ${path} may not grow: it is as large as files may be here`,
    remedy:
      'Raise the limit of file sizes (ulimit -f), ' +
      `or use a disk that takes larger files, and ${AGAIN}`,
  },
  EMFILE: TOO_MANY,
  ENFILE: TOO_MANY,
  EROFS: {
    code: 'DATABASE_BROKEN',
    what: path => `the disk that holds ${path} is mounted read-only`,
    remedy:
      'Mount it for writing, or name another place in tillage.yaml. ' +
      'A disk that became read-only by itself is failing.',
  },
  EIO: {
    code: 'DATABASE_BROKEN',
    what: path => `the disk that holds ${path} fails`,
    remedy:
      "Look at the system's log, and before anything else copy the whole folder onto another disk.",
  },
}

/**
 * The failure of a file as an error that says what to do; undefined where `code` is about something
 * else. `kept`: what became of the work, as a part of the sentence.
 */
export function diskError(
  path: string,
  code: string,
  details: { kept?: string; cause?: unknown } = {},
): DatabaseError | undefined {
  const trouble = TROUBLES[code]
  if (trouble === undefined) return undefined
  const { kept = 'nothing of this step was kept', cause } = details
  const message = `${trouble.what(path)} (${code}); ${kept}`
  return new DatabaseError(trouble.code, message, { cause, remedy: trouble.remedy })
}

/** What a file or folder may be that somebody named, and how it is said. */
const NAMED_WRONGLY: Readonly<Record<string, string>> = {
  EACCES: 'this user may not do that',
  EPERM: 'this user may not do that',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of its path is no folder',
  EISDIR: 'it is a folder',
  ENAMETOOLONG: 'its name is too long',
}

/** An error of the system about a file, in words; any other as it came. */
export function explainFileError(error: unknown): unknown {
  const { path, syscall } = (error ?? {}) as NodeJS.ErrnoException
  const code = codeOf(error)
  const named = path ?? 'a file'
  if (syscall === undefined) return error
  const wrong = path === undefined ? undefined : NAMED_WRONGLY[code]
  if (wrong !== undefined)
    return new UsageError(
      `${named}: ${wrong} (${syscall}: ${code})`,
      'Choose another place, or change its permissions.',
    )
  return diskError(named, code, { cause: error }) ?? error
}

/** A code of the system or of SQLite; empty where an error has none. */
export const codeOf = (error: unknown): string => {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' ? code : ''
}

/** Left on the disk that holds a folder, for whoever is not root; undefined: it is not there. */
export function leftOnDisk(folder: string): number | undefined {
  if (!existsSync(folder)) return undefined
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** A name is durable only when its folder is. Windows cannot open folders and does not need it. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/** The sha256 of a file, read a piece at a time. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const part of createReadStream(path)) hash.update(part as Buffer)
  return hash.digest('hex')
}

/** A file that a person named: all of it, or none of it. Never in the place of another. */
export function writeNewFile(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx' })
  } catch (error) {
    const code = codeOf(error)
    if (code !== 'EEXIST') rmSync(path, { force: true })
    throw diskError(path, code, { kept: 'no file is left', cause: error }) ?? error
  }
}

/** A sync of one store was seen to have 75 open, of which a command has opened 24 as it begins. */
const FILES_OF_A_COMMAND = 96

/**
 * Asked before anything is begun: Node's threads and Temporal's core end the whole process, without
 * a word to the user, where they get no file.
 */
export function requireFreeFiles(): void {
  const opened: number[] = []
  try {
    while (opened.length < FILES_OF_A_COMMAND) opened.push(openSync(devNull, 'r'))
  } catch (error) {
    if (TROUBLES[codeOf(error)] !== TOO_MANY) throw error
    const message =
      `only ${opened.length} more files can be opened here, ` +
      `and a command needs ${FILES_OF_A_COMMAND} (${codeOf(error)}); nothing was begun`
    throw new DatabaseError(TOO_MANY.code, message, { cause: error, remedy: TOO_MANY.remedy })
  } finally {
    for (const file of opened) closeSync(file)
  }
}

const MEGABYTE = 1024 * 1024

/**
 * Programs such as SQLite call many things an "I/O error": a used-up quota, a limit of file sizes,
 * too many open files. The system says which, when a file beside `path` is made that is somewhat
 * larger than those that are there. Answers a code that `diskError` knows, or undefined where
 * nothing is wrong now.
 */
export function askDisk(path: string): string | undefined {
  try {
    growNameless(path, MEGABYTE + largestOf(path))
    return undefined
  } catch (error) {
    const code = codeOf(error)
    return code in TROUBLES ? code : undefined
  }
}

/**
 * SQLite and exports put what they sort and compute into the folder of temporary files, and an
 * error about that does not say so. Where it lies on another disk, both are asked; both are named
 * where neither is full any more, since what failed has given its space back.
 */
export function whatIsFull(path: string, temporary = tmpdir()): string {
  const disks = [path, temporary].map(diskUnder)
  if (disks.includes(undefined) || disks[0] === disks[1] || askDisk(within(path)) !== undefined)
    return path
  const also = `the temporary files, ${temporary},`
  return askDisk(within(temporary)) === undefined ? `${path}, or the one that holds ${also}` : also
}

/** Its number; undefined where there is no such folder. */
const diskUnder = (path: string): number | undefined =>
  statSync(dirname(within(resolve(path))), { throwIfNoEntry: false })?.dev

/** What may itself be where a disk begins is asked about inside. */
const within = (path: string): string =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? join(path, 'tillage') : path

/** A database of SQLite, and what SQLite may keep beside it. */
export const databaseFiles = (path: string): string[] =>
  ['', '-wal', '-shm', '-journal'].map(suffix => `${path}${suffix}`)

const largestOf = (path: string): number =>
  Math.max(...databaseFiles(path).map(file => statSync(file, { throwIfNoEntry: false })?.size ?? 0))

/** Only its end takes space. */
function growNameless(beside: string, size: number): void {
  const path = `${beside}.asked-${randomUUID()}`
  const file = openSync(path, 'wx', 0o600)
  try {
    rmSync(path, { force: true })
    writeSync(file, Buffer.alloc(65_536), 0, 65_536, size)
  } finally {
    closeSync(file)
    rmSync(path, { force: true })
  }
}

/**
 * A folder and those above it. Node's own `recursive` never ends where the system says that a
 * folder is not there although the one above it is, as below `/proc` and on some network drives.
 */
export function makeFolder(path: string): void {
  const folder = resolve(path)
  if (existsSync(folder) && statSync(folder).isDirectory()) return
  if (dirname(folder) !== folder) makeFolder(dirname(folder))
  try {
    mkdirSync(folder)
  } catch (error) {
    // Somebody else was faster.
    if (!existsSync(folder) || !statSync(folder).isDirectory()) throw error
  }
}

/** A folder for the time of one piece of work, whatever comes of it. */
export async function inTemporaryFolder<Answer>(
  work: (folder: string) => Promise<Answer>,
): Promise<Answer> {
  const folder = mkdtempSync(join(tmpdir(), 'tillage-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
