import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StoredManifest } from '../manifest.ts'
import { HOLDING_CODES } from './build-journal.ts'
import { EXCEPTIONS, readExceptions, TIE_OUT } from './formats/exceptions.ts'
import { readCsv } from './formats/table.ts'

/** Why the newest checks of a day hold its journal back; undefined where they do not, or are gone. */
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
  }) ??
  firstOf(newest, TIE_OUT, text =>
    readCsv(text)
      .filter(row => row['status'] === 'failed')
      .map(
        ({ check = '', expected = '', actual = '' }) =>
          `${check} should be ${expected} and is ${actual}`,
      ),
  )

/** The first of what the newest file of a dataset tells, and how many more there are. */
function firstOf(
  newest: StoredManifest | undefined,
  dataset: string,
  tells: (text: string) => string[],
): string | undefined {
  const file = newest?.manifest.files.filter(one => one.dataset === dataset).at(-1)
  const path = file === undefined ? undefined : join(newest!.folder, file.path)
  if (path === undefined || !existsSync(path)) return undefined
  const [first, ...more] = tells(readFileSync(path, 'utf8'))
  return first === undefined || more.length === 0 ? first : `${first}; and ${more.length} more`
}
