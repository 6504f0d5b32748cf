import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrate, openKeyShares } from '../../../connectors/database.ts'
import type { KeyShare, KeyShares } from '../../../connectors/destination/key-shares.ts'
import { postgresForTests } from '../../helpers/postgres.ts'

const KINDS = {
  SQLite: async (folder: string) => join(folder, 'tillage.db'),
  PostgreSQL: async () => (await postgresForTests()).url,
}

const PROCESSES = 5
const TIMES = 20

const count = (share: KeyShare): Promise<number> =>
  share.change(kept => {
    const before = (kept as { count: number } | undefined)?.count ?? 0
    return { kept: { count: before + 1 }, answer: before }
  })

describe.each(Object.entries(KINDS))('what is kept of a key, on %s,', (_, databaseIn) => {
  let folder: string
  const shares: KeyShares[] = []
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tillage-key-shares-'))
    const database = await databaseIn(folder)
    await migrate(database, [])
    const place = { database, localFiles: join(folder, 'tillage.db') }
    for (let process = 0; process < PROCESSES; process++) shares.push(await openKeyShares(place))
  })
  afterAll(() => {
    for (const one of shares) one.close()
    rmSync(folder, { recursive: true })
  })

  it('loses no change, whoever makes it and when', async () => {
    const all = shares.map(async one => {
      const seen: number[] = []
      for (let time = 0; time < TIMES; time++) seen.push(await count(one.of('a')))
      return seen
    })
    const seen = (await Promise.all(all)).flat().toSorted((a, b) => a - b)
    expect(seen).toEqual(Array.from({ length: PROCESSES * TIMES }, (__, index) => index))
  })

  it('is of that key alone', async () => {
    expect(await count(shares[0]!.of('b'))).toBe(0)
    expect(await count(shares[1]!.of('b'))).toBe(1)
    expect(await count(shares[1]!.of('c'))).toBe(0)
  })
})

it('where no table is yet, each process of PostgreSQL goes by itself', async () => {
  const database = (await postgresForTests()).url
  const place = { database, localFiles: join(tmpdir(), 'none') }
  for (const shares of [await openKeyShares(place), await openKeyShares(place)]) {
    const share = shares.of('a')
    expect([await count(share), await count(share)]).toEqual([0, 1])
    shares.close()
  }
})
