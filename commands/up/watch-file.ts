import { statSync } from 'node:fs'

/** Editors write a file in several steps, and some put another in its place. */
const LOOK_MS = 1_000
const QUIET_MS = 300

export interface WatchedFile {
  /**
   * Ends when the file was written since the last call, and is left alone again. The first call
   * ends at once: who watches it has read it before, and it may have been written in between.
   */
  changed(): Promise<void>
  close(): void
}

/** Looks at a file's time and size: that works on every disk, also where it is replaced. */
export function watchForChanges(path: string, lookMs = LOOK_MS): WatchedFile {
  let isChanged = true
  let tell = (): void => {}
  let quiet: NodeJS.Timeout | undefined
  let seen = versionOf(path)
  const noted = (): void => {
    isChanged = true
    tell()
  }
  const look = (): void => {
    const version = versionOf(path)
    if (version === seen) return
    seen = version
    clearTimeout(quiet)
    quiet = setTimeout(noted, QUIET_MS)
  }
  const looking = setInterval(look, lookMs).unref()
  return {
    async changed() {
      if (!isChanged) await new Promise<void>(resolve => (tell = resolve))
      isChanged = false
    },
    close() {
      clearInterval(looking)
      clearTimeout(quiet)
    },
  }
}

function versionOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? '' : `${found.ino} ${found.size} ${found.mtimeNs}`
}
