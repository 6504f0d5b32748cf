import { existsSync } from 'node:fs'
import type { Config } from '../config.ts'
import type { GivenOut } from '../connectors/destination/given-out.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { TillageError } from '../errors.ts'
import { datasetsOf } from '../exports/datasets.ts'

/** Tables, which nobody here reads, and which may be large. */
const TABLES: ReadonlySet<string> = new Set(datasetsOf(streams).map(({ name }) => name))

/** The number of the newest manifest of the log that was looked at, by mirror. */
const looked = new Map<string, number>()

/**
 * What other machines gave out into the bucket is in the mirror then, for whoever reads exports
 * and audits here. Of a folder, there is nothing to do.
 */
export async function bringExports(
  { objects }: Pick<Config, 'objects'>,
  givenOut: Pick<GivenOut, 'manifests'>,
): Promise<void> {
  if (objects === undefined) return
  const { mirror } = objects
  const after = existsSync(mirror) ? (looked.get(mirror) ?? 0) : 0
  const written = await givenOut.manifests(after)
  if (written.length === 0) return
  const { bringWritten } = await import('../objects/bring-written.ts')
  await bringWritten(objects, written, ({ dataset = '' }) => !TABLES.has(dataset))
  looked.set(mirror, written.at(-1)!.seq)
}

/**
 * The same for whoever tells how things stand: with a bucket that cannot be reached, that is what
 * is known here. Answers why something may be missing.
 */
export async function bringIfPossible(
  ...place: Parameters<typeof bringExports>
): Promise<TillageError | undefined> {
  try {
    await bringExports(...place)
    return undefined
  } catch (error) {
    if (error instanceof TillageError) return error
    throw error
  }
}
