import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, it } from 'vitest'
import { openConnection } from '../../../../connectors/sqlite/connection/open-connection.ts'
import { openReadOnly } from '../../../../connectors/sqlite/read-only.ts'
import { migrate } from '../../../../connectors/sqlite/schema/migrate.ts'
import { checkAfterUncleanEnd } from '../../../../connectors/sqlite/upkeep/unclean-end.ts'
import { newPath } from '../window-database.ts'

/** The files as a process leaves them that is killed while it has the database open. */
async function leftByKill(): Promise<string> {
  const path = newPath()
  await migrate(path, [])
  const writer = openConnection(path)
  for (let row = 0; row < 200; row++)
    writer
      .prepare("INSERT INTO windows VALUES ('s', 'x', ?, 'e', 'proven', ?)")
      .run(String(row), 'y'.repeat(1000))
  writer.pragma('wal_checkpoint(PASSIVE)')
  writer.prepare("INSERT INTO windows VALUES ('s', 'x', 'last', 'e', 'proven', '{}')").run()
  const left = newPath()
  for (const suffix of ['', '-wal']) copyFileSync(`${path}${suffix}`, `${left}${suffix}`)
  writer.close()
  return left
}

/** Overwrites one page of the file itself; -2 is the last page but one. */
function damage(path: string, page: number): void {
  const bytes = readFileSync(path)
  const size = bytes.readUInt16BE(16)
  bytes.subarray(page * size).fill(0xa5, 0, size)
  writeFileSync(path, bytes)
}

let checks = 0
const check = (path: string): void => checkAfterUncleanEnd(path, () => void checks++)
const windows = (path: string): unknown => {
  const database = new Database(path)
  try {
    return database.prepare('SELECT count(*) FROM windows').pluck().get()
  } finally {
    database.close()
  }
}
beforeEach(() => void (checks = 0))

describe('after an unclean end', () => {
  it('every page is looked at, and nothing that was committed is lost', async () => {
    const path = await leftByKill()
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0)
    check(path)
    expect(checks).toBe(1)
    expect(windows(path)).toBe(201)
  })

  it('a damaged page is an error with its remedy before anything is written', async () => {
    const path = await leftByKill()
    damage(path, -2)
    expect(() => check(path)).toThrow(
      expect.objectContaining({
        code: 'DATABASE_BROKEN',
        remedy: expect.stringContaining('tillage restore') as string,
      }) as Error,
    )
  })
})

it('after an orderly end, on a new database, and beside a process that is alive nothing is checked', async () => {
  check(newPath())
  const path = newPath()
  await migrate(path, [])
  check(path)
  const alive = openConnection(path)
  alive.prepare("INSERT INTO windows VALUES ('s', 'x', 'a', 'e', 'proven', '{}')").run()
  check(path)
  alive.close()
  expect(checks).toBe(0)
})

describe('an end in order', () => {
  it('is not taken for another where a reader is the last to close', async () => {
    const path = newPath()
    await migrate(path, [])
    const reading = await openReadOnly({ database: path, localFiles: path, stores: [] }, [])
    const writer = openConnection(path)
    writer.prepare("INSERT INTO windows VALUES ('s', 'x', '1', 'e', 'proven', '{}')").run()
    writer.close()
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0)
    await reading.ledger.windows('s', 'x')
    await reading.close()
    expect(statSync(`${path}-wal`, { throwIfNoEntry: false })).toBeUndefined()
    check(path)
    expect(checks).toBe(0)
    expect(windows(path)).toBe(1)
  })
})
