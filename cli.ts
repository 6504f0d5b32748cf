#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
// oxlint-disable-next-line import/no-unassigned-import -- it asks for the zone, which is set below
import './commands/arguments/here.ts'
import { resolveCacheFolder } from './temporal/cli/cache-folder.ts'

// Intervals are UTC inside, and workers must not differ by the machine's zone.
process.env['TZ'] = 'UTC'

// Databases, logs and files hold records of stores and people: whatever is made from here on, by
// children too, is its owner's alone (0700 and 0600).
process.umask(0o077)

keepCompiledCode()

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // A second one does not wait for an orderly end; what is committed stays either way.
    if (stop.signal.aborted) process.exit(1)
    if (signal === 'SIGINT')
      process.stderr.write(
        '\nstopping: work under way is brought to its end. Ctrl-C again ends at once; ' +
          'what is committed stays.\n',
      )
    stop.abort()
  })
}

let unwritten: NodeJS.ErrnoException | undefined
process.stdout.on('error', error => (unwritten ??= error))
const { runProgram } = await import('./program.ts')
const exitStatus = await runProgram({
  args: process.argv.slice(2),
  streams: process,
  signal: stop.signal,
})
// Temporal's runtime would hold a process that failed before its first worker; what was printed
// goes out first.
process.stdout.write('', () => setImmediate(() => process.exit(lastStatus())))

/** Whoever reads no further has what it wanted; a disk that is full has not. */
function lastStatus(): number {
  if (unwritten === undefined || unwritten.code === 'EPIPE') return exitStatus
  process.stderr.write(
    `what was printed could not be written whole (${unwritten.message})\n` +
      '  what to do: write it to another place, and run the command again\n',
  )
  return exitStatus === 0 ? 1 : exitStatus
}

/**
 * What a command is made of is compiled by the first one and kept: half of the time that the next
 * ones take to begin. Threads and children find it by the variable. Where it cannot be kept, each
 * compiles for itself.
 */
function keepCompiledCode(): void {
  if (process.env['NODE_COMPILE_CACHE'] !== undefined) return
  try {
    const folder = join(resolveCacheFolder(process.env), 'compiled')
    enableCompileCache(folder)
    process.env['NODE_COMPILE_CACHE'] = folder
  } catch {
    // A user without a home folder.
  }
}
