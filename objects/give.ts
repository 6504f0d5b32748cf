import { forEach } from './for-each.ts'
import type { ObjectPlace } from './place.ts'
import { putOnce } from './put.ts'
import type { ObjectFile } from './put.ts'

/** Puts files into the bucket, each once; none is under way any more where one of them failed. */
export const giveFiles = (place: ObjectPlace, files: readonly ObjectFile[]): Promise<void> =>
  forEach(files, file => putOnce(place, file))
