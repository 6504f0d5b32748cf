import { statSync } from 'node:fs'

/** Editors write a file in several steps, and some put another in its place. */
const POLL_EVERY_MS = 1_000
const QUIET_MS = 300

export interface WatchedFiles {
  /**
   * Ends when a file was written, came or went since the last call, and all are left alone again.
   * The first call ends at once: who watches them has read them before, and one may have been
   * written in between.
   */
  changed(): Promise<void>
  /** As if one were written after so long. */
  changedIn(ms: number): void
  close(): void
}

/**
 * Looks at the time and size of files, which are asked for each time: that works on every disk,
 * also where a file is replaced.
 */
export function watchForChanges(
  paths: () => readonly string[],
  everyMs = POLL_EVERY_MS,
): WatchedFiles {
  let isChanged = true
  let tell = (): void => {}
  let quiet: NodeJS.Timeout | undefined
  let seen = versionOf(paths())
  let again: NodeJS.Timeout | undefined
  const noted = (): void => {
    isChanged = true
    tell()
  }
  const poll = (): void => {
    const version = versionOf(paths())
    if (version === seen) return
    seen = version
    clearTimeout(quiet)
    quiet = setTimeout(noted, QUIET_MS)
  }
  const polling = setInterval(poll, everyMs).unref()
  return {
    async changed() {
      if (!isChanged) await new Promise<void>(resolve => (tell = resolve))
      isChanged = false
    },
    changedIn(ms) {
      clearTimeout(again)
      again = setTimeout(noted, ms)
    },
    close() {
      clearInterval(polling)
      clearTimeout(quiet)
      clearTimeout(again)
    },
  }
}

const versionOf = (paths: readonly string[]): string =>
  paths.map(path => `${path} ${versionOfFile(path)}`).join('\n')

function versionOfFile(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? '' : `${found.ino} ${found.size} ${found.mtimeNs}`
}
