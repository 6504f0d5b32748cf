import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TillageError } from '../../errors.ts'
import { toAmount } from '../../money/amount.ts'
import { readCsv } from '../../text/read-csv.ts'
import type { StoredManifest } from '../revisions/manifest.ts'
import { HOLDING_CODES } from './build-journal.ts'
import type { JournalException, TieOutRow } from './checks.ts'
import { CLOSING } from './closing.ts'
import type { Figures } from './closing.ts'
import { EXCEPTIONS, readExceptions, TIE_OUT } from './formats/exceptions.ts'

/** What holds the journal of a day back. */
export interface HeldBack {
  why: string
  /**
   * The same for a place that may hold nothing of a record: which problems, and how many of each;
   * else the first check that failed.
   */
  counted: string
  /**
   * The manifest of its files of checks, where one was changed since: nobody knows whether they
   * hold the day back, and no journal is written, until that one is as it was.
   */
  changed?: string
}

/** As the newest checks of a day say it; undefined where they hold nothing, or are gone. */
export function heldBack(newest: StoredManifest | undefined): HeldBack | undefined {
  if (newest === undefined) return undefined
  try {
    const failed = firstOf(newest, TIE_OUT, failedChecks)
    const why = firstOf(newest, EXCEPTIONS, holdingErrors) ?? failed
    if (why === undefined) return undefined
    const [counted = failed ?? why] = readNewest(newest, EXCEPTIONS, countedErrors)
    return { why, counted }
  } catch (error) {
    if (!(error instanceof TillageError) || error.code !== 'EVIDENCE_CHANGED') throw error
    const why = `${error.message}; restore it from a backup`
    return { why, counted: why, changed: join(newest.folder, newest.name) }
  }
}

/** The command that tells more of it. */
export const showHeld = (
  { changed }: HeldBack,
  { store, day }: { store: string; day: string },
): string =>
  changed === undefined
    ? `tillage journal --store ${store} --date ${day} --dry-run`
    : `tillage verify ${changed}`

function holdingErrors(text: string, path: string): string[] {
  const holding = unacceptedErrors(text, path).filter(({ code }) => HOLDING_CODES.has(code))
  return holding.map(({ code, transactionId, detail }) =>
    transactionId === '' ? `${code}: ${detail}` : `${code} transaction ${transactionId}: ${detail}`,
  )
}

/**
 * The figures of the closing report that holds a day back: they count until they agree, others are
 * given, or somebody accepts them; undefined where no report does.
 */
export function standingClosing(newest: StoredManifest | undefined): Figures | undefined {
  const rows = readNewest(newest, TIE_OUT, readCsv).filter(({ check = '' }) =>
    check.startsWith(CLOSING),
  )
  if (!rows.some(({ status }) => status === 'failed')) return undefined
  return new Map(
    rows.map(({ check = '', expected }) => [check.slice(CLOSING.length), toAmount(expected) ?? 0n]),
  )
}

/** What somebody had booked on the suspense account stays an error, and holds nothing. */
function unacceptedErrors(text: string, path: string): JournalException[] {
  const all = readExceptions(text, path)
  const accepted = new Set(
    all.filter(({ code }) => code === 'SUSPENSE').map(({ transactionId }) => transactionId),
  )
  return all.filter(
    ({ severity, transactionId }) => severity === 'error' && !accepted.has(transactionId),
  )
}

/** Every check of the newest files of a day, as they say it. */
export const givenTieOuts = (newest: StoredManifest | undefined): TieOutRow[] =>
  readNewest(newest, TIE_OUT, (...file) => readCsv(...file) as unknown as TieOutRow[])

const failedChecks = (text: string, path: string): string[] =>
  readCsv(text, path)
    .filter(row => row['status'] === 'failed')
    .map(
      ({ check = '', expected = '', actual = '' }) =>
        `${check} should be ${expected} and is ${actual}`,
    )

function countedErrors(text: string, path: string): string[] {
  const codes = Map.groupBy(unacceptedErrors(text, path), ({ code }) => code)
  return codes.size === 0
    ? []
    : [[...codes].map(([code, all]) => `${code} ${all.length}`).join(', ')]
}

/** The first problem that the newest file of a dataset names, and how many more there are. */
function firstOf(
  newest: StoredManifest | undefined,
  dataset: string,
  readProblems: (text: string, path: string) => string[],
): string | undefined {
  const [first, ...more] = readNewest(newest, dataset, readProblems)
  return first === undefined || more.length === 0 ? first : `${first}; and ${more.length} more`
}

/** What stands in the newest file of a dataset; nothing where there is none, or it is gone. */
function readNewest<Row>(
  newest: StoredManifest | undefined,
  dataset: string,
  read: (text: string, path: string) => Row[],
): Row[] {
  const file = newest?.manifest.files.filter(one => one.dataset === dataset).at(-1)
  const path = file === undefined ? undefined : join(newest!.folder, file.path)
  return path === undefined || !existsSync(path) ? [] : read(readFileSync(path, 'utf8'), path)
}
