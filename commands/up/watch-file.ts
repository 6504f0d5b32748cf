import { unwatchFile, watchFile } from 'node:fs'

/** Editors write a file in several steps, and some put another in its place. */
const LOOK_MS = 1_000
const QUIET_MS = 300

export interface WatchedFile {
  /** Ends when the file was written since the last call, and is left alone again. */
  changed(): Promise<void>
  close(): void
}

/** Looks at a file's time and size: that works on every disk, also where it is replaced. */
export function watchForChanges(path: string, lookMs = LOOK_MS): WatchedFile {
  let isChanged = false
  let tell = (): void => {}
  let quiet: NodeJS.Timeout | undefined
  const noted = (): void => {
    isChanged = true
    tell()
  }
  watchFile(path, { interval: lookMs, persistent: false }, () => {
    clearTimeout(quiet)
    quiet = setTimeout(noted, QUIET_MS)
  })
  return {
    async changed() {
      if (!isChanged) await new Promise<void>(resolve => (tell = resolve))
      isChanged = false
    },
    close() {
      clearTimeout(quiet)
      unwatchFile(path)
    },
  }
}
