import { writeSync } from 'node:fs'

/**
 * A write may take only a part, on a disk that is almost full for example; the next one then says
 * why.
 */
export function writeWhole(file: number, bytes: Uint8Array): void {
  for (let offset = 0; offset < bytes.length;) offset += writeSync(file, bytes, offset)
}
