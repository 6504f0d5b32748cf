import type { ListedFile } from '../../books/given-files.ts'
import type { Config } from '../../config.ts'
import { UsageError } from '../../errors.ts'
import { isBelow, pathOf } from '../../objects/place.ts'

const USUAL_MINUTES = 15
/** What a signature may be good for. */
const MOST_MINUTES = 7 * 24 * 60

/** How long links are good for; undefined: none are asked for. */
export function chooseLinkSeconds(
  { objects }: Pick<Config, 'objects'>,
  link: string | boolean | undefined,
): number | undefined {
  if (link === undefined) return undefined
  if (objects === undefined)
    throw new UsageError(
      'links are of files in a bucket, and exports lie in a folder',
      'Leave out --link. How to give out into a bucket: tillage help object-storage',
    )
  const minutes = link === true ? USUAL_MINUTES : Number(link)
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > MOST_MINUTES)
    throw new UsageError(
      `a link is not good for ${JSON.stringify(link)} minutes`,
      `Give a whole number from 1 to ${MOST_MINUTES}, which are 7 days.`,
    )
  return minutes * 60
}

/** By address; of what is not in the bucket there is none. */
export async function linksTo(
  { objects }: Pick<Config, 'objects'>,
  files: readonly ListedFile[],
  seconds: number,
): Promise<Map<string, string>> {
  const { linkTo } = await import('../../objects/objects.ts')
  const links = new Map<string, string>()
  for (const { path, gone } of files)
    if (objects !== undefined && !gone && isBelow(objects, path))
      links.set(path, await linkTo(objects, pathOf(objects, path), seconds))
  return links
}
