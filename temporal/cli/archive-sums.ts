import { createHash } from 'node:crypto'
import { appendFileSync, createReadStream, existsSync, readFileSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'

/** The archive that was downloaded, and what it is for: version, platform and architecture. */
export interface DownloadedArchive {
  path: string
  name: string
}

/**
 * Refuses an archive before anything of it is unpacked or run. `expected` decides where somebody
 * has set it (`TEMPORAL_CLI_SHA256`); else what this machine downloaded first under that name, as
 * kept in `sumsFile` in the form of `sha256sum`. Answers its sum, and whether it is the first.
 */
export async function checkArchive(
  { path, name }: DownloadedArchive,
  sumsFile: string,
  expected: string | undefined,
): Promise<{ sha256: string; isFirst: boolean }> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  const sha256 = hash.digest('hex')
  if (expected !== undefined) {
    if (sha256 !== expected.trim().toLowerCase())
      throw new Error(`${name} has the sha256 ${sha256}, and TEMPORAL_CLI_SHA256 is ${expected}`)
    return { sha256, isFirst: false }
  }
  const known = findSum(sumsFile, name)
  if (known === undefined) appendFileSync(sumsFile, `${sha256}  ${name}\n`, { mode: 0o600 })
  else if (known !== sha256)
    throw new Error(
      `${name} has the sha256 ${sha256}, ` +
        `and the one that this machine downloaded first had ${known} (${sumsFile}); ` +
        'find out which of them Temporal has published, and set TEMPORAL_CLI_SHA256 to it',
    )
  return { sha256, isFirst: known === undefined }
}

function findSum(sumsFile: string, name: string): string | undefined {
  if (!existsSync(sumsFile)) return undefined
  const lines = readFileSync(sumsFile, 'utf8').split('\n')
  return lines.find(line => line.endsWith(`  ${name}`))?.slice(0, 64)
}
