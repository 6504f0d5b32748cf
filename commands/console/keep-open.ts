import { statSync } from 'node:fs'
import type { Config } from '../../config.ts'
import { openReadOnly } from '../../connectors/database.ts'
import type { ReadOnlyDatabase } from '../../connectors/destination/read-only.ts'
import { streams } from '../../connectors/partner/streams/index.ts'

/**
 * A page that is shown looks each second whether anything was written, so this is as long as
 * somebody looks at any. Then whoever needs the database alone can have it.
 */
const KEPT_MS = 1_500
/** What a newer version made of its tables is found out then; pages that are shown load again. */
const RENEWED_AFTER_MS = 600_000

/** The database of the pages. To open it takes longer than a small page itself. */
export interface KeptOpen {
  with<Answer>(read: (database: ReadOnlyDatabase) => Promise<Answer>): Promise<Answer>
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
  return {
    async with(read) {
      const opened = await take()
      try {
        return await read(await opened.database)
      } finally {
        await leave(opened)
      }
    },
    close: () => endOf(current),
  }
}

function open(config: Config): Opened {
  const opened = {
    file: fileOf(config),
    database: openReadOnly(config, streams),
    openedMs: performance.now(),
    readers: 0,
    isOver: false,
  }
  // Whoever asks next tries again.
  opened.database.catch(() => (opened.isOver = true))
  return opened
}

const isFit = ({ isOver, openedMs, file }: Opened, config: Config): boolean =>
  !isOver && performance.now() - openedMs < RENEWED_AFTER_MS && file === fileOf(config)

/** Undefined where it is on a server. */
const fileOf = ({ localFiles }: Config): bigint | undefined =>
  statSync(localFiles, { bigint: true, throwIfNoEntry: false })?.ino
