import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'

/** The sha256 of a file of this machine, read a piece at a time; undefined: it is not there. */
export async function hashOfFile(path: string): Promise<string | undefined> {
  if (!existsSync(path)) return undefined
  const hash = createHash('sha256')
  for await (const part of createReadStream(path)) hash.update(part as Buffer)
  return hash.digest('hex')
}
