import { setTimeout as pause } from 'node:timers/promises'
import { tryFileLock } from '../../file-lock.ts'
import type { OutboundStore } from '../destination/outbound.ts'

const POLL_EVERY_MS = 250

/** A lock of the system beside the database, for each store: it is dropped when its holder dies. */
export const storeLocksBeside = (localFiles: string): Pick<OutboundStore, 'lockStore'> => ({
  async lockStore({ store }, waiting) {
    for (;;) {
      const unlock = tryFileLock(`${localFiles}.writes-${store}.lock`)
      if (unlock !== undefined) return { release: async () => unlock() }
      waiting()
      await pause(POLL_EVERY_MS)
    }
  },
})
