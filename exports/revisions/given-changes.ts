import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readCsv } from '../../text/read-csv.ts'
import { RESTATEMENT } from '../sales/restatement.ts'
import type { RESTATEMENT_COLUMNS } from '../sales/restatement.ts'
import { folderOf, manifestsIn } from './manifest.ts'
import type { Manifest } from './manifest.ts'

/** A field that a later revision has otherwise, as its list of changes says it. */
export type GivenChange = Readonly<Record<(typeof RESTATEMENT_COLUMNS)[number], string>>

/** What every revision of a range changed, oldest first, by the lists that were given out of it. */
export function givenChanges(out: string, range: Pick<Manifest, 'store' | 'days'>): GivenChange[] {
  const folder = folderOf(out, range)
  const names = manifestsIn(folder, range).flatMap(({ manifest: { files } }) =>
    files.filter(({ dataset }) => dataset === RESTATEMENT).map(({ path }) => path),
  )
  return [...new Set(names)]
    .map(name => join(folder, name))
    .filter(existsSync)
    .flatMap(path => readCsv(readFileSync(path, 'utf8'), path) as GivenChange[])
}
