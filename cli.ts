#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8'

// V8's space for new objects stays at the megabyte that it begins with. It would grow to 48 MB in
// each thread for work that leaves hardly any object behind: 150 MB more for the same sync, in the
// same processor time. Before anything is loaded, which makes the most garbage.
setFlagsFromString('--semi-space-growth-factor=1')

// Intervals are UTC inside, and workers must not differ by the machine's zone.
process.env['TZ'] = 'UTC'

// Databases, logs and files hold records of stores and people: whatever is made from here on, by
// children too, is its owner's alone (0700 and 0600).
process.umask(0o077)

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // A second one does not wait for an orderly end; what is committed stays either way.
    if (stop.signal.aborted) process.exit(1)
    if (signal === 'SIGINT')
      process.stderr.write(
        '\nstopping: work under way is brought to its end. Ctrl-C again ends at once; what is committed stays.\n',
      )
    stop.abort()
  })
}

const { runProgram } = await import('./program.ts')
const exitStatus = await runProgram({
  args: process.argv.slice(2),
  streams: process,
  signal: stop.signal,
})
// Temporal's runtime would hold a process that failed before its first worker; what was printed
// goes out first.
process.stdout.write('', () => process.exit(exitStatus))
