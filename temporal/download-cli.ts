import { createHash } from 'node:crypto'
import { createWriteStream, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { EnvHttpProxyAgent, fetch } from 'undici'
import { z } from 'zod'
import { TEMPORAL_CLI_VERSION } from './cli-version.ts'
import { runCommand } from './run-command.ts'

/** Temporal's own download service, the one that its SDKs ask. */
export const TEMPORAL_DOWNLOAD_URL = 'https://temporal.download'

const PLATFORMS: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'linux',
  darwin: 'darwin',
  win32: 'windows',
}
const ARCHITECTURES: Partial<Record<NodeJS.Architecture, string>> = { x64: 'amd64', arm64: 'arm64' }

// The name is handed to tar: a plain file name, never a path that leaves the folder or an option.
const archiveInfo = z.object({
  archiveUrl: z.url(),
  fileToExtract: z.string().regex(/^\w[\w.-]*$/),
})

export interface DownloadCliOptions {
  /** The service to ask, `TEMPORAL_DOWNLOAD_URL` or a mirror of it. */
  readonly from: string
  /** What the archive must be; undefined: whatever comes over TLS from that address. */
  readonly sha256: string | undefined
  /** An existing folder to download and unpack in. */
  readonly folder: string
  readonly progress: (line: string) => void
}

/**
 * Downloads the official archive of the CLI and unpacks it, the way the SDKs do: the service says
 * where the archive is and which file in it is the program. Throws soon on a machine that cannot
 * reach the service, so that the next way of getting a CLI has its turn.
 */
export async function downloadCli({
  from,
  sha256,
  folder,
  progress,
}: DownloadCliOptions): Promise<string> {
  const platform = PLATFORMS[process.platform]
  const arch = ARCHITECTURES[process.arch]
  if (platform === undefined || arch === undefined)
    throw new Error(`there is no download for ${process.platform} on ${process.arch}`)

  const dispatcher = new EnvHttpProxyAgent({
    connect: { timeout: 5_000 },
    headersTimeout: 15_000,
    bodyTimeout: 30_000,
  })
  const get = async (url: string) => {
    const response = await fetch(url, { dispatcher })
    if (!response.ok || response.body === null)
      throw new Error(`GET ${url} answered ${response.status} ${response.statusText}`)
    return { response, body: response.body }
  }
  try {
    const lookup = await get(
      `${from}/cli/v${TEMPORAL_CLI_VERSION}?arch=${arch}&platform=${platform}&format=tar.gz`,
    )
    const { archiveUrl, fileToExtract } = archiveInfo.parse(await lookup.response.json())
    progress(`downloading Temporal ${TEMPORAL_CLI_VERSION}, the first time only`)
    const archive = join(folder, basename(new URL(archiveUrl).pathname))
    const { body } = await get(archiveUrl)
    await pipeline(Readable.fromWeb(body), createWriteStream(archive))
    if (sha256 !== undefined) refuseOther(archive, sha256)
    const unpacked = await runCommand('tar', ['-xf', archive, '-C', folder, fileToExtract], {
      timeoutMs: 120_000,
    })
    if (!unpacked.ok) throw new Error(`tar could not unpack ${archiveUrl}: ${unpacked.problem}`)
    return join(folder, fileToExtract)
  } finally {
    await dispatcher.destroy()
  }
}

/** Before anything of it is unpacked or run. */
function refuseOther(archive: string, expected: string): void {
  const found = createHash('sha256').update(readFileSync(archive)).digest('hex')
  if (found !== expected.trim().toLowerCase())
    throw new Error(
      `${basename(archive)} has the sha256 ${found}, and TEMPORAL_CLI_SHA256 is ${expected}`,
    )
}
