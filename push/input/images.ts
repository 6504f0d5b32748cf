import { readFile } from 'node:fs/promises'
import { basename, join, resolve, sep } from 'node:path'
import { sha256Of } from '../../sha256.ts'
import type { Image } from '../operation.ts'
import type { Cell } from './cell.ts'
import type { Problem } from './problem.ts'

/** How the files begin that the API takes as pictures: their whole signature, and more after it. */
const KINDS = [
  { type: 'image/jpeg', starts: Buffer.from([0xff, 0xd8, 0xff]) },
  { type: 'image/png', starts: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) },
] as const

/** `image/jpeg` or `image/png`; undefined for anything else, and for one that was cut off there. */
export const imageType = (bytes: Buffer): string | undefined =>
  KINDS.find(
    ({ starts }) => bytes.length > starts.length && bytes.subarray(0, starts.length).equals(starts),
  )?.type

/**
 * Pictures must be there, and be pictures, when the plan is made. Paths are relative to the file,
 * and lead to its folder or one inside it: a file that somebody uploaded reads nothing else of this
 * machine, and does not learn what is there.
 */
export async function findImages(
  cell: Cell | undefined,
  folder: string,
  say: (column: string, refused: Pick<Problem, 'code' | 'message'>) => void,
): Promise<Image[]> {
  if (cell?.kind !== 'list') return []
  const images: Image[] = []
  for (const name of cell.items) {
    const path = resolve(folder, name)
    const bytes = isWithin(folder, path) ? await readFile(path).catch(() => undefined) : undefined
    if (bytes === undefined)
      say('image_paths', { code: 'IMAGE', message: `there is no file ${name} beside this one` })
    else if (imageType(bytes) === undefined)
      say('image_paths', { code: 'IMAGE', message: `${name} is neither a JPEG nor a PNG` })
    else
      images.push({
        path,
        name: basename(path),
        sha256: sha256Of(bytes),
      })
  }
  return images
}

const isWithin = (folder: string, path: string): boolean =>
  path.startsWith(join(resolve(folder), sep))
