import { appendFileSync, createWriteStream, existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { EnvHttpProxyAgent, fetch } from 'undici'
import { z } from 'zod'
import { sha256OfFile } from '../../disk.ts'
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
  /** What the archive must be; undefined: what it was the first time (`checkArchive`). */
  readonly sha256: string | undefined
  /** Sums of what was downloaded before. */
  readonly sumsFile: string
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
  sumsFile,
  folder,
  progress,
}: DownloadCliOptions): Promise<string> {
  const platform = PLATFORMS[process.platform]
  const arch = ARCHITECTURES[process.arch]
  if (platform === undefined || arch === undefined)
    throw new Error(`there is no download for ${process.platform} on ${process.arch}`)

  const service = openService(from)
  try {
    const lookup = await service.get(
      `${from}/cli/v${TEMPORAL_CLI_VERSION}?arch=${arch}&platform=${platform}&format=tar.gz`,
    )
    const { archiveUrl, fileToExtract } = archiveInfo.parse(await lookup.json())
    progress(`downloading Temporal ${TEMPORAL_CLI_VERSION}, the first time only`)
    const archive = join(folder, basename(new URL(archiveUrl).pathname))
    const { body } = await service.get(archiveUrl)
    await pipeline(Readable.fromWeb(body!), createWriteStream(archive))
    const name = `temporal-${TEMPORAL_CLI_VERSION}-${platform}-${arch}.tar.gz`
    const sum = await checkArchive({ path: archive, name }, sumsFile, sha256)
    if (sum.isFirst)
      progress(
        'trusting it, as the first of this machine: ' +
          `sha256 ${sum.sha256} (TEMPORAL_CLI_SHA256 holds other machines to it)`,
      )
    const unpacked = await runCommand('tar', ['-xf', archive, '-C', folder, fileToExtract], {
      timeoutMs: 120_000,
    })
    if (!unpacked.ok) throw new Error(`tar could not unpack ${archiveUrl}: ${unpacked.problem}`)
    return join(folder, fileToExtract)
  } finally {
    await service.close()
  }
}

function openService(from: string) {
  const dispatcher = new EnvHttpProxyAgent({
    connect: { timeout: 5_000 },
    headersTimeout: 15_000,
    bodyTimeout: 30_000,
  })
  return {
    async get(url: string) {
      refuseOpenLine(from, url)
      const response = await fetch(url, { dispatcher })
      // It may have led elsewhere.
      refuseOpenLine(from, response.url)
      if (!response.ok || response.body === null)
        throw new Error(`GET ${url} answered ${response.status} ${response.statusText}`)
      return response
    },
    close: () => dispatcher.destroy(),
  }
}

/** A service that is asked over TLS must not lead to an archive that comes without it. */
export function refuseOpenLine(from: string, url: string): void {
  if (from.startsWith('https:') && !url.startsWith('https:'))
    throw new Error(`${from} leads to ${url}, which is not https://`)
}

/** The archive that was downloaded, and what it is for: version, platform and architecture. */
interface DownloadedArchive {
  path: string
  name: string
}

/**
 * Refuses an archive before anything of it is unpacked or run. `expected` decides where somebody
 * has set it (`TEMPORAL_CLI_SHA256`); else what this machine downloaded first under that name, as
 * kept in `sumsFile` in the form of `sha256sum`. Answers its sum, and whether it is the first.
 */
async function checkArchive(
  { path, name }: DownloadedArchive,
  sumsFile: string,
  expected: string | undefined,
): Promise<{ sha256: string; isFirst: boolean }> {
  const sha256 = await sha256OfFile(path)
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
