import { existsSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openReadOnly } from '../../../connectors/database.ts'
import type { Freshness, Hints } from '../../../connectors/destination/hints.ts'
import type { PlacedDatabase } from '../../../connectors/destination/place.ts'
import { openConnections } from '../../../connectors/postgres/connection/connections.ts'
import { IN_TURN } from '../../../connectors/postgres/connection/in-turn.ts'
import { openHints as openOnServer } from '../../../connectors/postgres/tables/hints.ts'
import { openHints as openInFile, readFreshness } from '../../../connectors/sqlite/tables/hints.ts'
import { BY_HAND } from './by-hand-databases.ts'

const OPEN: Readonly<Record<string, (database: string) => Hints>> = {
  SQLite: openInFile,
  PostgreSQL: openOnServer,
}

const ALL = { most: 100, rangesSinceMs: Number.MAX_SAFE_INTEGER }
const product = { store: 'downtown', stream: 'products', id: 'p1' }
const unnamed = { store: 'downtown', stream: 'transactions' }

describe.each(Object.entries(BY_HAND))('hints, on %s,', (name, make) => {
  let place: PlacedDatabase
  let hints: Hints
  /** Another process, which may run on another machine where there is a server. */
  let other: Hints
  beforeEach(async () => {
    const made = await make()
    ;({ place } = made)
    await made.kind.migrate(place.database, [])
    hints = OPEN[name]!(place.database)
    other = OPEN[name]!(place.database)
  })
  afterEach(async () => {
    await hints.close()
    await other.close()
  })

  it('of the same record are one, and one that comes again while it is read waits on', async () => {
    await hints.keep([product], 1_000)
    await other.keep([product], 2_000)
    const [read] = await hints.waiting('downtown', ALL)
    expect(read).toEqual({ ...product, firstMs: 1_000, lastMs: 2_000 })
    // In the same millisecond, or by a clock that is behind.
    await other.keep([product], 2_000)
    await other.keep([product], 1_500)
    await hints.done([read!], 3_000)
    expect(await hints.waiting('downtown', ALL)).toHaveLength(1)
    await hints.done(await hints.waiting('downtown', ALL), 4_000)
    expect(await hints.waiting('downtown', ALL)).toEqual([])
    expect(await hints.waitingStores()).toEqual([])
  })

  it('that were kept are there after a crash, and for whoever reads for them', async () => {
    await hints.keep([product, unnamed, product], 1_000)
    expect(await other.waiting('downtown', ALL)).toHaveLength(2)
    expect(await other.waitingStores()).toEqual(['downtown'])
    await other.forget(await other.waiting('downtown', ALL))
    expect(await hints.waitingStores()).toEqual([])
  })

  it('are kept by several at once', async () => {
    const many = Array.from({ length: 20 }, (_ignored, index) => ({ ...product, id: `p${index}` }))
    await Promise.all([
      hints.keep(many, 1_000),
      other.keep(many.toReversed(), 1_000),
      other.keep(many, 2_000),
      hints.done(
        many.map(hint => ({ ...hint, firstMs: 1, lastMs: 1 })),
        2_000,
      ),
    ])
    expect(await hints.waiting('downtown', ALL)).toHaveLength(20)
  })

  it('that name nothing wait until the last such read is long ago', async () => {
    await hints.keep([unnamed], 1_000)
    await hints.done(await hints.waiting('downtown', ALL), 2_000)
    await hints.keep([unnamed, product], 3_000)
    const since = (rangesSinceMs: number) => hints.waiting('downtown', { most: 9, rangesSinceMs })
    expect((await since(1_999)).map(({ id }) => id)).toEqual(['p1'])
    expect(await since(2_000)).toHaveLength(2)
  })

  it('that are many of one stream become one that names nothing, and others stay', async () => {
    const many = Array.from({ length: 51 }, (_ignored, index) => ({ ...unnamed, id: `t${index}` }))
    await hints.keep([...many, product], 1_000)
    await hints.foldMany('downtown', 51)
    expect(await hints.waiting('downtown', ALL)).toHaveLength(52)
    await hints.foldMany('downtown', 50)
    const one = { firstMs: 1_000, lastMs: 1_000 }
    const left = await hints.waiting('downtown', ALL)
    expect(left).toHaveLength(2)
    expect(left).toEqual(
      expect.arrayContaining([
        { ...product, ...one },
        { ...unnamed, ...one },
      ]),
    )
  })

  it('say since when a stream waits, and when it was read, to whoever only looks', async () => {
    await hints.keep([product], 1_000)
    const fresh = { store: 'downtown', stream: 'products', lastHintMs: 1_000 }
    const waits = { ...fresh, lastReadMs: undefined, waitingSinceMs: 1_000 }
    expect(await freshnessOf(place)).toEqual([waits])
    await hints.done(await hints.waiting('downtown', ALL), 2_000)
    const isRead = { ...fresh, lastReadMs: 2_000, waitingSinceMs: undefined }
    expect(await freshnessOf(place)).toEqual([isRead])
    expect(await other.freshness()).toEqual([isRead])
  })
})

/** As `status` asks. */
async function freshnessOf(place: PlacedDatabase): Promise<Freshness[]> {
  const database = await openReadOnly({ ...place, stores: [] }, [])
  try {
    return await database.freshness()
  } finally {
    await database.close()
  }
}

it('looking creates no file', async () => {
  const { place } = await BY_HAND['SQLite']!()
  expect(await readFreshness(place.database)).toEqual([])
  expect(existsSync(`${place.database}.hints`)).toBe(false)
})

it('on a server are kept while a window is committed', async () => {
  const { kind, database } = await BY_HAND['PostgreSQL']!()
  await kind.migrate(database, [])
  const connections = openConnections(database, { most: 1 })
  const committing = await connections.connect()
  await committing.query('BEGIN')
  await committing.query(IN_TURN)
  const hints = openOnServer(database)
  await hints.keep([product], 1_000)
  expect(await hints.waitingStores()).toEqual(['downtown'])
  // Its turn was not ended meanwhile: the server does so where it is silent for too long.
  await committing.query('COMMIT')
  await hints.close()
  committing.release()
  await connections.end()
})
