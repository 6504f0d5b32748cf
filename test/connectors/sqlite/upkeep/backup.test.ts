import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { copyDatabase } from '../../../../connectors/sqlite/upkeep/backup.ts'
import { readDamage } from '../../../../connectors/sqlite/upkeep/integrity.ts'
import { newPath, openDatabase } from '../window-database.ts'

const watch = (): Parameters<typeof copyDatabase>[2] => ({
  signal: new AbortController().signal,
  progress: () => {},
})

/** Windows with long evidence, so that a copy takes several steps. */
async function openWindows(count: number): Promise<{
  path: string
  connection: Database.Database
  addPair: () => void
}> {
  const { path, connection } = await openDatabase([])
  const insert = connection.prepare(
    "INSERT INTO windows VALUES ('downtown', 'transactions', ?, ?, 'proven', ?)",
  )
  let next = 0
  const add = (): void => {
    insert.run(`start ${next}`, `end ${next}`, JSON.stringify({ by: 'x'.repeat(12_000) }))
    next++
  }
  const addPair = connection.transaction(() => [add(), add()])
  connection.transaction(() => Array.from({ length: count }, add))()
  return { path, connection, addPair: () => void addPair() }
}

function count(path: string): number {
  const database = new Database(path, { readonly: true })
  try {
    return database.prepare('SELECT count(*) FROM windows').pluck().get() as number
  } finally {
    database.close()
  }
}

/** Overwrites the first page of a table. */
function damage(path: string, table: string): void {
  const bytes = readFileSync(path)
  const pageSize = bytes.readUInt16BE(16)
  const database = new Database(path, { readonly: true })
  const root = database
    .prepare<[string], number>('SELECT rootpage FROM sqlite_schema WHERE name = ?')
    .pluck()
    .get(table)!
  database.close()
  bytes.fill(0xa5, (root - 1) * pageSize, root * pageSize)
  writeFileSync(path, bytes)
}

describe('a copy', () => {
  it('is the state of one moment while others commit, and does not begin again for them', async () => {
    const { path, addPair } = await openWindows(1_000)
    const copied = join(dirname(path), 'copy.db')
    let commits = 0
    let done = false
    const copying = copyDatabase(path, copied, watch()).finally(() => (done = true))
    while (!done) {
      addPair()
      commits++
      await setImmediate()
    }
    const { windows, bytes } = await copying
    expect(windows).toBe(1_000)
    expect(commits).toBeGreaterThan(2)
    expect(count(path)).toBe(1_000 + 2 * commits)
    expect(count(copied)).toBe(1_000)
    expect(readDamage(copied)).toEqual([])
    expect(bytes).toBe(statSync(copied).size)
    expect(statSync(copied).mode & 0o777).toBe(0o600)
    expect(readdirSync(dirname(copied)).filter(name => name.startsWith('copy'))).toEqual([
      'copy.db',
    ])
  })

  it('has what a copied file lacks: the rows that stand in the log', async () => {
    const { path } = await openWindows(10)
    const [cp, copied] = [join(dirname(path), 'cp.db'), join(dirname(path), 'copy.db')]
    copyFileSync(path, cp)
    await copyDatabase(path, copied, watch())
    expect(count(copied)).toBe(10)
    expect(() => expect(count(cp)).toBe(10)).toThrow()
  })

  it('of a damaged database is refused, and nothing of it stays', async () => {
    const { path, connection } = await openWindows(200)
    connection.close()
    // Nothing reads this table on the way, but the check of the copy.
    damage(path, 'dead_letters')
    const copied = join(dirname(path), 'copy.db')
    await expect(copyDatabase(path, copied, watch())).rejects.toMatchObject({
      code: 'DATABASE_BROKEN',
    })
    expect(existsSync(copied)).toBe(false)
  })

  it('that is stopped leaves nothing, and says so', async () => {
    const { path } = await openWindows(10)
    const copied = join(dirname(path), 'copy.db')
    await expect(
      copyDatabase(path, copied, { ...watch(), signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({ code: 'INTERRUPTED' })
    expect(existsSync(copied)).toBe(false)
  })

  it('is made of nothing but a database of ours', async () => {
    const path = newPath()
    new Database(path).exec('CREATE TABLE other (a)').close()
    await expect(copyDatabase(path, `${path}.copy`, watch())).rejects.toMatchObject({
      code: 'USAGE',
    })
    expect(existsSync(`${path}.copy`)).toBe(false)
  })
})

describe('readDamage', () => {
  it('finds one page of garbage in a database that still opens, and nothing in a good one', async () => {
    const { path, connection } = await openWindows(200)
    connection.close()
    expect(readDamage(path)).toEqual([])
    damage(path, 'windows')
    expect(readDamage(path).join('\n')).toMatch(/page|malformed/)
  })
})
