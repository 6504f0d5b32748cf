import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StoredManifest } from '../revisions/manifest.ts'
import { HOLDING_CODES } from './build-journal.ts'
import { EXCEPTIONS, readExceptions, TIE_OUT } from './formats/exceptions.ts'
import { readCsv } from './formats/table.ts'

/**
 * Why the newest checks of a day hold its journal back; undefined where they do not, or are gone.
 */
export const whyHeldBack = (newest: StoredManifest | undefined): string | undefined =>
  firstOf(newest, EXCEPTIONS, text => {
    const holding = readExceptions(text).filter(
      ({ severity, code }) => severity === 'error' && HOLDING_CODES.has(code),
    )
    return holding.map(({ code, transactionId, detail }) =>
      transactionId === ''
        ? `${code}: ${detail}`
        : `${code} transaction ${transactionId}: ${detail}`,
    )
  }) ?? firstOf(newest, TIE_OUT, failedChecks)

const failedChecks = (text: string): string[] =>
  readCsv(text)
    .filter(row => row['status'] === 'failed')
    .map(
      ({ check = '', expected = '', actual = '' }) =>
        `${check} should be ${expected} and is ${actual}`,
    )

/**
 * The same for a place that may hold nothing of a record: which problems, and how many of each;
 * else the first check that failed.
 */
export const countHeldBack = (newest: StoredManifest | undefined): string | undefined =>
  problemsOf(newest, EXCEPTIONS, text => {
    const errors = readExceptions(text).filter(({ severity }) => severity === 'error')
    const codes = Map.groupBy(errors, ({ code }) => code)
    return codes.size === 0
      ? []
      : [[...codes].map(([code, all]) => `${code} ${all.length}`).join(', ')]
  })[0] ?? firstOf(newest, TIE_OUT, failedChecks)

/** The first problem that the newest file of a dataset names, and how many more there are. */
function firstOf(
  newest: StoredManifest | undefined,
  dataset: string,
  readProblems: (text: string) => string[],
): string | undefined {
  const [first, ...more] = problemsOf(newest, dataset, readProblems)
  return first === undefined || more.length === 0 ? first : `${first}; and ${more.length} more`
}

function problemsOf(
  newest: StoredManifest | undefined,
  dataset: string,
  readProblems: (text: string) => string[],
): string[] {
  const file = newest?.manifest.files.filter(one => one.dataset === dataset).at(-1)
  const path = file === undefined ? undefined : join(newest!.folder, file.path)
  return path === undefined || !existsSync(path) ? [] : readProblems(readFileSync(path, 'utf8'))
}
