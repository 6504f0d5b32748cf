import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/** A folder for the files of a test; it is gone afterwards. */
export function testFolder(): { path: string; write(name: string, body: string | Buffer): string } {
  const path = mkdtempSync(join(tmpdir(), 'tillage-push-'))
  afterAll(() => rmSync(path, { recursive: true, force: true }))
  return {
    path,
    write(name, body) {
      const file = join(path, name)
      writeFileSync(file, body)
      return file
    },
  }
}

/** The smallest picture there is, as far as its first bytes tell. */
export const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10])
