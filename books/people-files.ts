import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { GivenOut } from '../connectors/destination/given-out.ts'
import { parseManifest } from '../exports/revisions/manifest.ts'
import { knownFiles } from './given-files.ts'
import type { ExportsPlace } from './given-files.ts'

/**
 * Files that were given out with the columns that tell who somebody is, and are still on the disk:
 * those of every manifest that says so, in the folder of exports and in all others that are known.
 * Only those of `others` are left out: a manifest names its store as it was called then.
 */
export async function peopleFiles(
  history: Pick<GivenOut, 'files'>,
  place: ExportsPlace,
  others: readonly string[],
): Promise<string[]> {
  const folders = new Set((await knownFiles(history, place)).map(({ path }) => dirname(path)))
  const files = [...folders].flatMap(folder => filesWithPeople(folder, others))
  return [...new Set(files)].filter(path => existsSync(path)).toSorted()
}

function filesWithPeople(folder: string, others: readonly string[]): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter(name => /^manifest_.*\.json$/.test(name))
    .flatMap(name => {
      const manifest = parseManifest(readFileSync(join(folder, name), 'utf8'))
      if (manifest?.people !== true || others.includes(manifest.store)) return []
      return manifest.files.map(({ path }) => resolve(folder, path))
    })
}
