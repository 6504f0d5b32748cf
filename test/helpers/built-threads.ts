/**
 * The program in a test's own process starts its threads from the built one, as its processes are
 * (`PROGRAM`): each export has a thread, which otherwise loads hundreds of sources.
 */
import { existsSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import threads from 'node:worker_threads'
import type { WorkerOptions } from 'node:worker_threads'
import { PROGRAM } from './program.ts'

const BUILT = dirname(dirname(PROGRAM))

/** Threads that are not the program's start from what they are. */
function builtOf(entry: string | URL): string | URL {
  if (!(entry instanceof URL) || entry.protocol !== 'file:') return entry
  const source = fileURLToPath(entry)
  const built = join(BUILT, `${basename(source, '.ts')}.js`)
  return /-(thread|worker)\.ts$/.test(source) && existsSync(built) ? pathToFileURL(built) : entry
}

class BuiltThread extends threads.Worker {
  constructor(entry: string | URL, options?: WorkerOptions) {
    super(builtOf(entry), options)
  }
}

// Files share their process, and each comes here.
if (threads.Worker.name !== BuiltThread.name) {
  threads.Worker = BuiltThread
  syncBuiltinESMExports()
}
