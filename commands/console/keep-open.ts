import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../../config.ts'
import { openReadOnly } from '../../connectors/database.ts'
import type { ReadOnlyDatabase } from '../../connectors/destination/read-only.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { TillageError } from '../../errors.ts'

/**
 * A page that is shown looks each second whether anything was written, so this is as long as
 * somebody looks at any. Then whoever needs the database alone can have it.
 */
const KEPT_MS = 1_500
/** What a newer version made of its tables is found out then; pages that are shown load again. */
const RENEWED_AFTER_MS = 600_000

/** Who closes last, or begins after a crash, has the database alone for a moment. */
const PATIENCE_MS = 1_000
const RETRY_EVERY_MS = 50

/** The database of the pages. To open it takes longer than a small page itself. */
export interface KeptOpen {
  with<Answer>(read: (database: ReadOnlyDatabase) => Promise<Answer>): Promise<Answer>
  /** Before what would wait for it on the thread of the pages; it need not be there. */
  refuseBusy(): Promise<void>
  close(): Promise<void>
}

interface Opened {
  database: Promise<ReadOnlyDatabase>
  /** Which file it is: a backup may come into its place. */
  file: bigint | undefined
  openedMs: number
  readers: number
  isOver: boolean
}

/** Opened by the first who asks, and closed once nobody has asked for a while. */
export function keepOpen(config: Config): KeptOpen {
  let current: Opened | undefined
  let timer: NodeJS.Timeout | undefined
  const endOf = async (opened: Opened | undefined): Promise<void> => {
    if (opened === undefined) return
    opened.isOver = true
    if (opened === current) current = undefined
    if (opened.readers === 0) await opened.database.then(database => database.close())
  }
  const take = async (): Promise<Opened> => {
    if (current !== undefined && !isFit(current, config)) await endOf(current)
    current ??= open(config)
    current.readers += 1
    return current
  }
  const leave = async (opened: Opened): Promise<void> => {
    opened.readers -= 1
    if (opened.isOver) return endOf(opened)
    clearTimeout(timer)
    timer = setTimeout(() => void endOf(current).catch(() => {}), KEPT_MS).unref()
  }
  const kept: KeptOpen = {
    async with(read) {
      const opened = await take()
      try {
        return await read(await opened.database)
      } finally {
        await leave(opened)
      }
    },
    async refuseBusy() {
      await kept.with(async () => {}).catch(rethrowBusy)
    },
    close: () => endOf(current),
  }
  return kept
}

function open(config: Config): Opened {
  const opened = {
    file: fileOf(config),
    database: openSoon(config),
    openedMs: performance.now(),
    readers: 0,
    isOver: false,
  }
  // Whoever asks next tries again.
  opened.database.catch(() => (opened.isOver = true))
  return opened
}

/** Waits without holding up what needs no database. */
async function openSoon(config: Config): Promise<ReadOnlyDatabase> {
  const giveUpAtMs = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      return await openReadOnly(config, streams, { isPatient: false })
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUpAtMs) throw error
    }
    await sleep(RETRY_EVERY_MS)
  }
}

const isBusy = (error: unknown): boolean =>
  error instanceof TillageError && error.code === 'DATABASE_BUSY'

function rethrowBusy(error: unknown): void {
  if (isBusy(error)) throw error
}

const isFit = ({ isOver, openedMs, file }: Opened, config: Config): boolean =>
  !isOver && performance.now() - openedMs < RENEWED_AFTER_MS && file === fileOf(config)

/** Undefined where it is on a server. */
const fileOf = ({ localFiles }: Config): bigint | undefined =>
  statSync(localFiles, { bigint: true, throwIfNoEntry: false })?.ino
