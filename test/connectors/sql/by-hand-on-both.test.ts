import { beforeEach, describe, expect, it } from 'vitest'
import { readAuditLog } from '../../../connectors/database.ts'
import { batches } from '../../../connectors/partner/streams/batches.ts'
import { members } from '../../../connectors/partner/streams/members.ts'
import { transactions } from '../../../connectors/partner/streams/transactions.ts'
import { actNow } from '../../../connectors/sql/audit-chain.ts'
import { changeZone } from '../../../connectors/sql/upkeep/change-zone.ts'
import { evictShop } from '../../../connectors/sql/upkeep/evict-shop.ts'
import { renameStore } from '../../../connectors/sql/upkeep/rename-store.ts'
import { at, BY_HAND, commitDay, MONDAY, withDestination } from './by-hand-databases.ts'
import type { ByHand } from './by-hand-databases.ts'

const STREAMS = [transactions, batches, members]

const sale = (id: string, more: object = {}): string =>
  JSON.stringify({
    id,
    shopId: 'ours',
    modified: MONDAY + 1_000,
    completedTime: MONDAY + 61_000,
    status: 'Completed',
    transType: 'Sale',
    memberId: 'M1',
    cart: { total: 12.5, items: [{ id: `i-${id}`, quantity: 1.25 }, { id: `j-${id}` }] },
    ...more,
  })

/** As each kind has answered, by what was asked. */
const answers = new Map<string, unknown>()

/** The same of both kinds. */
function agree(what: string, answer: unknown): void {
  if (answers.has(what)) expect(answer).toEqual(answers.get(what))
  answers.set(what, answer)
}

const store = { checkedAt: at(0), baseUrl: 'https://x', timeZone: 'America/Denver' }

async function readStore(opened: ByHand): Promise<void> {
  await withDestination(opened, STREAMS, async destination => {
    await destination.stores.keep({
      ...store,
      id: 'downtown',
      shopId: 'ours',
      companyId: 'company',
      name: 'Downtown',
    })
    await commitDay(destination, transactions, 0, [
      sale('a'),
      sale('b', { transType: 'Refund', cart: { total: -2, items: [] } }),
      sale('c', { shopId: 'theirs', note: 'A\u0000B', completedTime: MONDAY + 121_000 }),
      sale('d', { memberId: 'M2', completedTime: 0 }),
    ])
    await commitDay(destination, transactions, 0, [
      sale('c', {
        shopId: 'theirs',
        note: 'later\u0000',
        modified: MONDAY + 2_000,
        completedTime: MONDAY + 121_000,
      }),
      `{"id":"M1","shopId":"theirs","modified":"x","memberId":"M1"}`,
    ])
    await commitDay(destination, members, 0, [
      `{"id":"M1","modified":1,"firstName":"Ann","consumerUserId":"C1"}`,
      `{"id":"M2","modified":1,"firstName":"Bob"}`,
    ])
  })
}

const counts = async ({ all }: ByHand, ...tables: string[]): Promise<number[]> => {
  const rows = await Promise.all(tables.map(table => all(`SELECT count(*) AS n FROM ${table}`)))
  return rows.map(([row]) => (row as { n: number }).n)
}

const acts = async ({ database }: ByHand): Promise<string[]> => {
  const { entries, breaks } = await readAuditLog(database)
  expect(breaks).toEqual([])
  return entries.map(({ act }) => act)
}

describe.each(Object.entries(BY_HAND))('by hand, on %s,', (_, open) => {
  let opened: ByHand
  beforeEach(async () => {
    opened = await open()
    await readStore(opened)
  })

  it('what is old goes, and a dry run only counts it', async () => {
    const { kind, database } = opened
    const order = { retention: { versionsDays: 1 }, store: undefined, at: at(30) }
    const dry = await kind.purge(database, order, STREAMS, { dryRun: true })
    expect(dry.map(({ table, rows }) => [table, rows])).toEqual([['versions', 1]])
    expect(await acts(opened)).toEqual([])
    expect(await kind.purge(database, order, STREAMS, { dryRun: false })).toEqual(dry)
    expect(await acts(opened)).toEqual(['purge'])
    expect(await counts(opened, 'versions')).toEqual([0])
    expect(await kind.overwriteFreed(database)).toBe(true)
  })

  it('sales come to what they were', async () => {
    const { kind, database } = opened
    const since = await kind.readSaleTotals(database, 'downtown', MONDAY + 61_001)
    expect(since.map(({ atMs }) => atMs - MONDAY).toSorted((a, b) => a - b)).toEqual([
      61_000, 61_000, 121_000,
    ])
    const all = await kind.readSaleTotals(database, 'downtown', 0)
    expect(all.map(({ total, isRefund }) => `${total} ${isRefund}`).toSorted()).toEqual([
      '-2 true',
      '12.5 false',
      '12.5 false',
      '12.5 false',
    ])
  })

  it('nothing is changed under a program that has it open', async () => {
    const { kind, database } = opened
    const change = { store: 'downtown', zone: 'America/Chicago', dryRun: true }
    const act = (): ReturnType<typeof actNow> => actNow('store zone', {})
    await withDestination(opened, STREAMS, async () => {
      const busy = { code: 'DATABASE_BUSY', message: /is in use; nothing was changed/ }
      const failed = await kind
        .alone(database, dialect => changeZone(dialect, change, STREAMS, act))
        .catch(error => error)
      expect(failed).toMatchObject({ code: busy.code })
      expect(String(failed)).toMatch(busy.message)
    })
    expect(
      await kind.alone(database, dialect => changeZone(dialect, change, STREAMS, act)),
    ).toMatchObject({
      was: 'America/Denver',
    })
  })

  it('a zone is changed, its days of lists are in doubt, and a dry run changes nothing', async () => {
    const { kind, database, all } = opened
    const change = { store: 'downtown', zone: 'America/Chicago' }
    const act = (): ReturnType<typeof actNow> => actNow('store zone', {})
    const expected = {
      store: 'downtown',
      was: 'America/Denver',
      zone: 'America/Chicago',
      windows: [{ stream: 'transactions', windows: 1, from: at(0), to: at(1) }],
      bookedDays: 0,
    }
    const dry = { ...change, dryRun: true }
    expect(await kind.alone(database, dialect => changeZone(dialect, dry, STREAMS, act))).toEqual(
      expected,
    )
    expect(await acts(opened)).toEqual([])
    const real = { ...change, dryRun: false }
    expect(await kind.alone(database, dialect => changeZone(dialect, real, STREAMS, act))).toEqual(
      expected,
    )
    expect(await acts(opened)).toEqual(['store zone'])
    expect(await all('SELECT time_zone FROM stores')).toEqual([{ time_zone: 'America/Chicago' }])
    expect(await all(`SELECT stream FROM windows WHERE status = 'unproven'`)).toEqual([
      { stream: 'transactions' },
    ])
    const nobody = kind.alone(database, dialect =>
      changeZone(dialect, { ...dry, store: 'nobody' }, STREAMS, act),
    )
    await expect(nobody).rejects.toThrow('there is no store nobody')
  })

  it('a store gets another id everywhere, and takes the place of what has it already', async () => {
    const { kind, database, run, all } = opened
    const finding = (id: string, of: string): string =>
      `('${id}', '${of}', 'batches', 'page_cap', 'detail of ${of}', 1, '${at(0)}', '${at(0)}')`
    await run(
      `INSERT INTO findings (id, store_id, stream, code, detail, times, first_seen_at, last_seen_at)
       VALUES ${finding('downtown/batches/page_cap', 'downtown')},
         ${finding('uptown/batches/page_cap', 'uptown')}, ${finding('uptown/other', 'uptown')}`,
    )
    const ids = { from: 'downtown', to: 'uptown' }
    const renamed = await kind.alone(database, dialect =>
      renameStore(dialect, ids, actNow('store rename', ids)),
    )
    agree('renamed', renamed)
    expect(renamed.rows).toBeGreaterThan(10)
    expect(await all('SELECT id, store_id, detail FROM findings ORDER BY id')).toEqual([
      { id: 'uptown/batches/page_cap', store_id: 'uptown', detail: 'detail of downtown' },
      { id: 'uptown/other', store_id: 'uptown', detail: 'detail of uptown' },
    ])
    expect(await all('SELECT DISTINCT store_id FROM rows_transactions')).toEqual([
      { store_id: 'uptown' },
    ])
    expect(await acts(opened)).toEqual(['store rename'])
    const outbound = await kind.openOutboundStore(database)
    expect(await outbound.renames()).toEqual([{ ...ids, at: expect.any(String) as string }])
    await outbound.close()
    const again = kind.alone(database, dialect =>
      renameStore(dialect, ids, actNow('store rename', ids)),
    )
    await expect(again).rejects.toThrow('there is no store downtown')
    const taken = kind.alone(database, dialect =>
      renameStore(dialect, { from: 'uptown', to: 'uptown' }, actNow('x', {})),
    )
    await expect(taken).rejects.toThrow('is in the database already')
  })

  it('rows of another shop go with all that is kept of them', async () => {
    const { kind, database, all } = opened
    const order = { store: 'downtown', field: 'shopId', owner: 'theirs', nowMs: MONDAY } as const
    const act = (): ReturnType<typeof actNow> => actNow('store evict', {})
    const dry = { ...order, dryRun: true }
    const before = await counts(opened, 'rows_transactions', 'versions', 'dead_letters')
    const expected = await kind.alone(database, dialect => evictShop(dialect, dry, STREAMS, act))
    expect(expected).toEqual({
      store: 'downtown',
      streams: [{ stream: 'transactions', rows: 1, versions: 1, deadLetters: 1 }],
      windows: [{ stream: 'transactions', windows: 1, from: at(0), to: at(1) }],
      bookedMinutes: [MONDAY + 120_000],
      timeZone: 'America/Denver',
      givenOut: [],
      silent: [],
    })
    expect(await counts(opened, 'rows_transactions', 'versions', 'dead_letters')).toEqual(before)
    const evicted = await kind.alone(database, dialect =>
      evictShop(dialect, { ...order, dryRun: false }, STREAMS, act),
    )
    expect(evicted).toEqual(expected)
    expect(await acts(opened)).toEqual(['store evict'])
    expect(await counts(opened, 'rows_transactions', 'dead_letters')).toEqual([3, 0])
    expect(await all('SELECT id, raw FROM versions')).toEqual([
      { id: 'evicted', raw: `{"completedTime":${MONDAY + 120_000}}` },
    ])
    const lines = 'SELECT count(*) AS n FROM rows_transaction_items'
    expect(await all(lines)).toEqual([{ n: 4 }])
    const own = kind.alone(database, dialect =>
      evictShop(dialect, { ...dry, owner: 'ours' }, STREAMS, act),
    )
    await expect(own).rejects.toThrow('these rows are its own')
  })

  it('rows of a shop whose id came as a number go with their states before', async () => {
    const { kind, database } = opened
    await withDestination(opened, STREAMS, async destination => {
      for (const modified of [MONDAY, MONDAY + 3_000])
        await commitDay(destination, transactions, 0, [sale('n', { shopId: 77, modified })])
    })
    const order = { store: 'downtown', field: 'shopId', owner: '77', nowMs: MONDAY } as const
    const act = (): ReturnType<typeof actNow> => actNow('store evict', {})
    const evicted = await kind.alone(database, dialect =>
      evictShop(dialect, { ...order, dryRun: true }, STREAMS, act),
    )
    expect(evicted.streams).toEqual([
      { stream: 'transactions', rows: 1, versions: 1, deadLetters: 0 },
    ])
  })

  it('nobody is found who was forgotten, and the figures stay', async () => {
    const { kind, database, all } = opened
    const traces = await kind.withPeople(database, STREAMS, async people => {
      const found = await people.forget({ store: 'downtown', member: 'M1', keyOf: undefined })
      const certificate = '{}'
      await people.remember({ store: 'downtown', ids: found.ids, at: at(9), certificate })
      await people.note(actNow('forget', {}))
      return found
    })
    expect(traces).toEqual({
      ids: ['M1', 'C1'],
      tables: [
        { table: 'transactions', removed: 0, changed: 3 },
        { table: 'members', removed: 1, changed: 0 },
        { table: 'dead_letters', removed: 1, changed: 0 },
        { table: 'versions', removed: 0, changed: 1 },
      ],
      places: ['members id', 'transactions id', 'transactions memberId'],
      left: [],
    })
    const rows = 'SELECT id, member_id, cart_total, raw FROM rows_transactions ORDER BY id'
    const kept = (await all(rows)) as { id: string; member_id: string; raw: string }[]
    expect(kept.map(({ id, member_id }) => `${id} ${member_id}`)).toEqual([
      'a forgotten',
      'b forgotten',
      'c forgotten',
      'd M2',
    ])
    expect(kept.map(({ raw }) => raw).join(' ')).not.toContain('M1')
    expect(await counts(opened, 'rows_transaction_items', 'rows_members', 'versions')).toEqual([
      6, 1, 1,
    ])
    expect(await acts(opened)).toEqual(['forget'])
    expect(await kind.readInconsistentRows(database, STREAMS)).toEqual([])
    await withDestination(opened, STREAMS, destination =>
      commitDay(destination, members, 1, ['{"id":"M1","modified":1,"firstName":"Ann"}']),
    )
    expect(await counts(opened, 'rows_members')).toEqual([1])
  })

  it('a person is forgotten whole or not at all', async () => {
    const { kind, database } = opened
    const failed = kind.withPeople(database, STREAMS, async people => {
      await people.forget({ store: 'downtown', member: 'M1', keyOf: undefined })
      throw new RangeError('on the way')
    })
    await expect(failed).rejects.toThrow('on the way')
    expect(await counts(opened, 'rows_members', 'forgotten_members')).toEqual([2, 0])
  })

  it('rows that are not what their record says are named, with their store', async () => {
    const { kind, database, run } = opened
    expect(await kind.readInconsistentRows(database, STREAMS)).toEqual([])
    await run(`UPDATE rows_transactions SET cart_total = '12.6' WHERE id = 'a'`)
    const ridOf = `(SELECT rid FROM rows_transactions WHERE id = 'd')`
    await run(`DELETE FROM rows_transaction_items WHERE rid = ${ridOf} AND line_no = 2`)
    expect(await kind.readInconsistentRows(database, STREAMS)).toEqual([
      { store: 'downtown', stream: 'transactions', ids: ['a', 'd'] },
    ])
  })

  it.each([
    ['DROP VIEW transactions_versions', 'view transactions_versions is missing'],
    ['DROP INDEX rows_transactions_cursor', 'index rows_transactions_cursor is missing'],
    ['DROP INDEX versions_key', 'index versions_key is missing'],
    ['ALTER TABLE findings DROP COLUMN detail', 'column detail of table findings is missing'],
    ['DROP TABLE journal_entries', 'table journal_entries is missing'],
  ])('a part that somebody took out is named: %s', async (sql, expected) => {
    const { kind, database, run } = opened
    expect(await kind.readMissing(database, STREAMS)).toEqual({ parts: [], emptied: [] })
    await run('CREATE VIEW mine AS SELECT 1 AS one')
    expect(await kind.readMissing(database, STREAMS)).toEqual({ parts: [], emptied: [] })
    await run(sql)
    expect((await kind.readMissing(database, STREAMS)).parts).toContain(expected)
  })

  it('a list that lost its rows is named, and nothing is said to be damaged', async () => {
    const { kind, database, run } = opened
    await run('DELETE FROM rows_members')
    expect(await kind.readMissing(database, STREAMS)).toEqual({
      parts: [],
      emptied: [{ store: 'downtown', stream: 'members', stored: 2 }],
    })
    expect(await kind.readDamage(database)).toEqual([])
    expect(await kind.damageError(database)).toMatchObject({ code: 'DATABASE_BROKEN' })
    let isChecked = false
    await kind.checkAfterUncleanEnd(database, () => (isChecked = true))
    expect(isChecked).toBe(false)
  })
})
