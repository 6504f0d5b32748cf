import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { isThere } from '../connectors/database.ts'
import type { GivenOut } from '../connectors/destination/given-out.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { TillageError } from '../errors.ts'
import { datasetsOf } from '../exports/datasets.ts'
import { openPostingHistory } from '../exports/posting-history.ts'
import type { NotBrought } from '../objects/bring-written.ts'
import { isBelow } from '../objects/place.ts'

/** Tables, which nobody here reads, and which may be large. */
const TABLES: ReadonlySet<string> = new Set(datasetsOf(streams).map(({ name }) => name))

/** The number of the newest manifest of the log that was brought, by folder of a mirror. */
const brought = new Map<string, number>()

/**
 * What other machines gave out into the bucket, of one store or of all, is in the mirror then, for
 * whoever reads exports and audits here. Answers what is not, since somebody has changed it there;
 * it is looked at again each time. Of a folder, there is nothing to do.
 */
export async function bringExports(
  { objects }: Pick<Config, 'objects'>,
  givenOut: Pick<GivenOut, 'manifests'>,
  store?: string,
): Promise<readonly NotBrought[]> {
  if (objects === undefined) return []
  const { mirror, url } = objects
  const folder = store === undefined ? mirror : join(mirror, store)
  const after = existsSync(folder) ? (brought.get(folder) ?? 0) : 0
  const written = await givenOut.manifests(after)
  const newest = written.at(-1)
  if (newest === undefined) return []
  const asked =
    store === undefined
      ? written
      : written.filter(one => isBelow({ url: `${url}/${store}` }, one.folder))
  const { bringWritten } = await import('../objects/bring-written.ts')
  const left = await bringWritten(objects, asked, ({ dataset = '' }) => !TABLES.has(dataset))
  const first = asked.find(one => left.some(other => other.folder === one.folder))
  brought.set(folder, first === undefined ? newest.seq : first.seq - 1)
  return left
}

/**
 * The same for whoever tells how things stand: with a bucket that cannot be reached, that is what
 * is known here. Answers why something may be missing.
 */
export async function bringIfPossible(
  ...place: Parameters<typeof bringExports>
): Promise<readonly TillageError[]> {
  try {
    return (await bringExports(...place)).map(({ error }) => error)
  } catch (error) {
    if (error instanceof TillageError) return [error]
    throw error
  }
}

/** Before somebody reads exports who has no database open. Answers why something is missing. */
export async function bringKnown(
  config: Pick<Config, 'objects' | 'database'>,
): Promise<readonly TillageError[]> {
  if (config.objects === undefined || !(await isThere(config.database))) return []
  await using history = await openPostingHistory(config.database, { readonly: true })
  return (await bringExports(config, history)).map(({ error }) => error)
}

/** What of the bucket is not here, in one line. */
export const sayMissing = ({ code, message }: TillageError): string =>
  `what other machines gave out may be missing here: ${code}: ${message}`
