import { useEmbeddedServer } from './embedded-server.ts'
import type { EmbeddedServer, UseEmbeddedServerOptions } from './embedded-server.ts'
import { isRunning } from './process-identity.ts'
import { readServerRecord, serverFolder } from './server-folder.ts'

const LOOK_MS = 2_000

/**
 * The server of a folder, for as long as this process uses it: a server that lost its keeper, who
 * would start it again, is started again by its users, on the same port and database.
 */
export async function useWatchedServer(options: UseEmbeddedServerOptions): Promise<EmbeddedServer> {
  const first = await useEmbeddedServer(options)
  const used = [first]
  const files = serverFolder(options.folder)
  let starting: Promise<void> | undefined
  const startAgain = async (): Promise<void> => {
    options.progress("Temporal's server and its keeper are gone; starting them again")
    try {
      used.push(await useEmbeddedServer(options))
    } catch (error) {
      options.progress(error instanceof Error ? error.message : String(error))
    }
  }
  const timer = setInterval(() => {
    const record = readServerRecord(files)
    const isKept = record !== undefined && isRunning(record.keeper)
    if (isKept || starting !== undefined) return
    starting = startAgain().finally(() => (starting = undefined))
  }, LOOK_MS).unref()
  const release = async (): Promise<void> => {
    clearInterval(timer)
    await starting
    for (const server of used.splice(0).reverse()) await server.release()
  }
  return { ...first, release }
}
