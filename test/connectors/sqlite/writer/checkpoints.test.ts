import { copyFileSync, existsSync, statSync } from 'node:fs'
import type Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { withExclusiveDatabase } from '../../../../connectors/sqlite/connection/exclusive.ts'
import { openConnection } from '../../../../connectors/sqlite/connection/open-connection.ts'
import { createCheckpoints } from '../../../../connectors/sqlite/writer/checkpoints.ts'
import type { Checkpoints, LogLimits } from '../../../../connectors/sqlite/writer/checkpoints.ts'
import { newPath } from '../window-database.ts'

const NEVER = Number.MAX_SAFE_INTEGER
const ROW_BYTES = 300_000

interface Written {
  path: string
  connection: Database.Database
  checkpoints: Checkpoints
  /** Commits one row, and says so. */
  commit(): void
  /** Bytes of the log, and of those what is in the database file. */
  log(): { bytes: number; copied: number }
}

function openWritten(limits: LogLimits): Written {
  const path = newPath()
  const connection = openConnection(path)
  connection.exec('CREATE TABLE rows (number INTEGER PRIMARY KEY, filling BLOB)')
  const insert = connection.prepare('INSERT INTO rows (filling) VALUES (randomblob(?))')
  const checkpoints = createCheckpoints(connection, limits)
  const pageBytes = connection.pragma('page_size', { simple: true }) as number
  return {
    path,
    connection,
    checkpoints,
    commit() {
      insert.run(ROW_BYTES)
      checkpoints.afterCommit()
    },
    log() {
      const [{ log, checkpointed }] = connection.pragma('wal_checkpoint(NOOP)') as [
        { log: number; checkpointed: number },
      ]
      return { bytes: log * pageBytes, copied: checkpointed * pageBytes }
    },
  }
}

/** Rows in the database file alone, without its log. */
function rowsInFile(path: string): unknown {
  const copy = newPath()
  copyFileSync(path, copy)
  const connection = openConnection(copy)
  try {
    return connection.prepare('SELECT count(*) FROM rows').pluck().get()
  } finally {
    connection.close()
  }
}

const closeAll = ({ connection, checkpoints }: Written): void => {
  checkpoints.close()
  connection.close()
}

test('what was committed gets into the file beside the writer, which does nothing for it', async () => {
  const written = openWritten({ backlogBytes: 1_000_000, longestBytes: NEVER })
  for (let row = 0; row < 10; row++) written.commit()
  await expect.poll(() => written.log().copied).toBeGreaterThan(1_000_000)
  written.checkpoints.settle()
  const left = written.log()
  expect(left.bytes - left.copied).toBeLessThan(4_000_000)
  closeAll(written)
})

test('without a checkpoint the log has it all, and the file nothing', () => {
  const written = openWritten({ backlogBytes: NEVER, longestBytes: NEVER })
  for (let row = 0; row < 10; row++) written.commit()
  const { bytes, copied } = written.log()
  expect(bytes).toBeGreaterThan(10 * ROW_BYTES)
  expect(copied).toBe(0)
  closeAll(written)
})

test.each([
  ['the writer alone', NEVER],
  ['the thread beside it', 1],
])('the log stays bounded by %s, however much is written', (_, backlogBytes) => {
  const longestBytes = 3_000_000
  const written = openWritten({ backlogBytes, longestBytes })
  for (let row = 0; row < 60; row++) {
    written.commit()
    expect(statSync(`${written.path}-wal`).size).toBeLessThan(1.1 * longestBytes + 2 * ROW_BYTES)
  }
  // A file that is copied while the thread writes it is none.
  written.checkpoints.settle()
  expect(rowsInFile(written.path)).toBeGreaterThan(40)
  closeAll(written)
})

test('a reader that holds an old state makes the log longer, and loses nothing', () => {
  const written = openWritten({ backlogBytes: 1, longestBytes: 1_000_000 })
  written.commit()
  const reader = openConnection(written.path, { readonly: true })
  const seen = reader.prepare('SELECT count(*) FROM rows').pluck()
  reader.exec('BEGIN')
  expect(seen.get()).toBe(1)
  for (let row = 0; row < 20; row++) written.commit()
  expect(seen.get()).toBe(1)
  reader.exec('COMMIT')
  expect(seen.get()).toBe(21)
  reader.close()
  for (let row = 0; row < 20; row++) written.commit()
  expect(written.log().bytes).toBeLessThan(2_000_000)
  closeAll(written)
})

test('once a long reader is gone, the next commit takes the space of the log back', () => {
  const written = openWritten({ backlogBytes: 1, longestBytes: 1_000_000 })
  written.commit()
  const reader = openConnection(written.path, { readonly: true })
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM rows').get()
  for (let row = 0; row < 20; row++) written.commit()
  const bytes = (): number => statSync(`${written.path}-wal`).size
  expect(bytes()).toBeGreaterThan(20 * ROW_BYTES)
  reader.close()
  written.commit()
  expect(bytes()).toBe(0)
  expect(rowsInFile(written.path)).toBe(22)
  closeAll(written)
})

test('closed while a checkpoint is under way, nobody has the database open any more', async () => {
  for (const commits of [1, 12]) {
    const written = openWritten({ backlogBytes: 1, longestBytes: NEVER })
    for (let row = 0; row < commits; row++) written.commit()
    await expect.poll(() => written.log().copied).toBeGreaterThan(0)
    written.commit()
    closeAll(written)
    expect(existsSync(`${written.path}-wal`)).toBe(false)
    const counted = withExclusiveDatabase(written.path, connection =>
      connection.prepare('SELECT count(*) FROM rows').pluck().get(),
    )
    expect(counted).toBe(commits + 1)
  }
})

test('closed before the thread has begun, nobody waits for it', () => {
  const written = openWritten({ backlogBytes: 1, longestBytes: NEVER })
  written.commit()
  closeAll(written)
  expect(rowsInFile(written.path)).toBe(1)
})
