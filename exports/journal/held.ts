import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StoredManifest } from '../manifest.ts'
import { HOLDING_CODES } from './build-journal.ts'
import { EXCEPTIONS, readExceptions, TIE_OUT } from './formats/exceptions.ts'
import { readCsv } from './formats/table.ts'

/** Whether the newest checks of a day hold its journal back. Files that are gone say nothing. */
export function isHeldBack(newest: StoredManifest | undefined): boolean {
  return (
    newestText(newest, EXCEPTIONS, text =>
      readExceptions(text).some(
        ({ severity, code }) => severity === 'error' && HOLDING_CODES.has(code),
      ),
    ) || newestText(newest, TIE_OUT, text => readCsv(text).some(row => row['status'] === 'failed'))
  )
}

function newestText(
  newest: StoredManifest | undefined,
  dataset: string,
  tells: (text: string) => boolean,
): boolean {
  const file = newest?.manifest.files.filter(one => one.dataset === dataset).at(-1)
  const path = file === undefined ? undefined : join(newest!.folder, file.path)
  return path !== undefined && existsSync(path) && tells(readFileSync(path, 'utf8'))
}
