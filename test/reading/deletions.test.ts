import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, it, test } from 'vitest'
import { boolean } from '../../connectors/stream.ts'
import { HOUR, NOW, START } from '../activities/record-server.ts'
import type { Synced } from '../activities/record-server.ts'
import { closeAll, records, start } from './deletion-server.ts'
import { tickets } from './list-server.ts'

afterAll(closeAll)

describe('a row that is absent from a proven re-read of its window', () => {
  let api: Synced
  beforeEach(async () => {
    api = await start()
    api.server.records = records(12)
    expect(await api.sync()).toMatchObject({ status: 'proven' })
  })
  const remove = (id: string): void =>
    void (api.server.records = api.server.records.filter(record => record.id !== id))
  const edit = (id: string, modified: number): void =>
    void (api.server.records = api.server.records.map(record =>
      record.id === id ? { ...record, modified } : record,
    ))

  it('is gone where the API does not know it any more, and comes back when it is seen again', async () => {
    remove('t003')
    expect(await api.sync()).toMatchObject({
      status: 'proven',
      counts: { fetched: expect.any(Number) as number, deadLettered: 0 },
    })
    expect((await api.rows()).gone).toEqual(['t003'])
    expect(api.server.asked.filter(path => path.endsWith('/t003'))).toHaveLength(1)
    api.server.records = records(12)
    await api.sync()
    expect(await api.rows()).toMatchObject({ gone: [], alive: records(12).map(({ id }) => id) })
  })

  it.each(['as it was', 'edited before'])(
    'stays gone when a reading that began before and saw it %s comes last: it is refused',
    async how => {
      if (how !== 'as it was') edit('t003', records(12)[3]!.modified + 1)
      const { windows } = api.dependencies.destination
      const { commit } = windows
      windows.commit = async older => {
        windows.commit = commit
        remove('t003')
        expect(await api.sync()).toMatchObject({ status: 'proven' })
        expect((await api.rows()).gone).toEqual(['t003'])
        return commit(older)
      }
      await expect(api.sync()).rejects.toMatchObject({ code: 'WINDOW_TAKEN_OVER' })
      expect((await api.rows()).gone).toEqual(['t003'])
      api.server.records = records(12)
      await api.sync()
      expect((await api.rows()).gone).toEqual([])
    },
  )

  it('has moved where the API knows it with a later time, and is merged as it is now', async () => {
    edit('t003', NOW - HOUR)
    await api.sync()
    expect((await api.rows()).gone).toEqual([])
    expect(
      await api.dependencies.destination.db
        .selectFrom('versions')
        .select(['id', 'modified'])
        .execute(),
    ).toEqual([{ id: 't003', modified: records(12)[3]!.modified }])
  })

  it.each(['find nothing', 'refuse'] as const)(
    'is gone where lookups prove nothing (%s), if a search of everywhere later does not find it either',
    async lookups => {
      api.server.lookups = lookups
      remove('t003')
      edit('t005', START + 7 * 24 * HOUR)
      edit('t007', NOW + 60_000)
      await api.sync()
      expect((await api.rows()).gone).toEqual(['t003'])
    },
  )

  it('is asked for again in the next attempt where the API failed meanwhile', async () => {
    remove('t003')
    let failures = 1
    api.server.fails = path => path.endsWith('/t003') && failures-- > 0
    await expect(api.sync()).rejects.toMatchObject({ code: 'PARTNER_UNAVAILABLE' })
    expect((await api.rows()).gone).toEqual([])
    expect(await api.sync()).toMatchObject({ status: 'proven' })
    expect((await api.rows()).gone).toEqual(['t003'])
    expect(await api.findings()).not.toContain('absence_unclear')
  })

  it('is searched for where lookups fail in each attempt, and searched for again where that fails', async () => {
    remove('t003')
    api.server.fails = path => /\/t\d+$/.test(path)
    for (let attempt = 1; attempt <= 3; attempt++)
      await expect(api.sync()).rejects.toMatchObject({ code: 'PARTNER_UNAVAILABLE' })
    const listed = (): number => api.server.asked.filter(path => !/\/t\d+$/.test(path)).length
    const before = listed()
    // The window itself takes two requests; the next one belongs to the search.
    api.server.fails = () => listed() === before + 3
    await expect(api.sync()).rejects.toMatchObject({ code: 'PARTNER_UNAVAILABLE' })
    api.server.fails = () => false
    expect(await api.sync()).toMatchObject({ status: 'proven' })
    expect((await api.rows()).gone).toEqual(['t003'])
  })

  it('is left alone where neither lookups nor the search prove anything', async () => {
    api.server.lookups = 'refuse'
    remove('t003')
    const { lie } = api.server
    api.server.lie = (rows, total, offset) =>
      rows.some(({ id }) => id === 't004') || rows.length > 0
        ? lie(rows, total, offset)
        : { rows: [], total: 7 }
    expect(await api.sync()).toMatchObject({ status: 'unproven' })
    expect((await api.rows()).gone).toEqual([])
    expect(await api.findings()).toContain('absence_unclear')
  })

  it('is not taken for deleted where the list filters by another time', async () => {
    const other = await start({ eventTimes: ['modified', 'created'] })
    const created = START - 20 * 24 * HOUR
    Object.assign(other.server, {
      filter: 'created',
      lookups: 'find nothing',
      records: [{ id: 'old', modified: START + 9 * HOUR, created }, ...records(12)],
    })
    await other.sync()
    expect(await other.sync(created - HOUR, created + HOUR)).toMatchObject({
      status: 'proven',
      counts: { inserted: 1 },
    })
    await other.sync()
    expect((await other.rows()).gone).toEqual([])
  })

  it.each([
    ['nothing proves that it is gone', new Set(['t003']), 'unproven', ['absence_unclear']],
    ['its id says that it is gone', new Set<string>(), 'proven', []],
  ])(
    'leaves no doubt of its own to another that is listed by another time: %s',
    async (_, refuses, status, doubts) => {
      const other = await start({ eventTimes: ['modified', 'created'] })
      const created = START - 20 * 24 * HOUR
      const old = { id: 'old', modified: START + 9 * HOUR, created }
      Object.assign(other.server, { filter: 'created', records: [old, ...records(12)] })
      await other.sync()
      await other.sync(created - HOUR, created + HOUR)
      other.server.records = other.server.records.filter(({ id }) => id !== 't003')
      other.server.refuses = refuses
      // Nor does a search: later windows cannot be read to their end.
      other.server.lie = (rows, total) => ({ rows, total: rows.length === 0 ? 7 : total })
      expect((await other.sync()).status).toBe(status)
      const found = await other.findings()
      expect(found.filter(code => /absence|hides/.test(code))).toEqual(doubts)
      expect((await other.rows()).gone).toEqual(status === 'proven' ? ['t003'] : [])
    },
  )

  it('stays when the list hides it and its id is known', async () => {
    api.server.hides = new Set(['t003'])
    expect(await api.sync()).toMatchObject({ status: 'unproven' })
    expect((await api.rows()).gone).toEqual([])
    expect(await api.findings()).toContain('list_hides_rows')
  })

  it.each(['modified in the window', 'modified after it'])(
    'has left a list that does not show its new state, and is as its id says: %s',
    async where => {
      const modified = START + (where === 'modified after it' ? 5 * 24 : 20) * HOUR
      const after = START + 6 * 24 * HOUR
      edit('t003', modified)
      api.server.hides = new Set(['t003'])
      // Its own window, which never showed it, and again, when the row is as the API has it.
      for (let run = 0; run < 2; run++)
        for (const [from, to] of [[], [START + 5 * 24 * HOUR, after]] as const)
          expect(await api.sync(from, to)).toMatchObject({ status: 'proven' })
      expect(await api.rows()).toMatchObject({ gone: [], alive: { length: 12 } })
      const { db } = api.dependencies.destination
      const kept = sql`SELECT modified FROM tickets WHERE id = 't003'`
      expect((await kept.execute(db)).rows).toEqual([{ modified }])
      // Back in the list, which then hides the state that it has shown.
      api.server.hides = new Set()
      edit('t003', modified + 1)
      await api.sync()
      await api.sync(START + 5 * 24 * HOUR, after)
      api.server.hides = new Set(['t003'])
      const last = where === 'modified after it' ? [START + 5 * 24 * HOUR, after] : []
      expect(await api.sync(...last)).toMatchObject({ status: 'unproven' })
    },
  )

  it('is gone with all others of its window, where the API still knows a record of another', async () => {
    const other = await start()
    other.server.records = [...records(12), { id: 'elsewhere', modified: START - HOUR }]
    await other.sync()
    await other.sync(START - 24 * HOUR, START)
    other.server.records = [{ id: 'elsewhere', modified: START - HOUR }]
    await other.sync()
    expect(await other.rows()).toEqual({
      alive: ['elsewhere'],
      gone: records(12).map(({ id }) => id),
    })
  })

  it('stays when so many are gone at once that the API rather shows less', async () => {
    const many = await start()
    many.server.records = records(300)
    await many.sync()
    many.server.records = records(50)
    await many.sync()
    expect((await many.rows()).gone).toEqual([])
    expect(await many.findings()).toContain('many_absent')
  })

  it('has moved with hundreds of others where an edit in bulk took them out of the window', async () => {
    const many = await start()
    many.server.records = records(300)
    await many.sync()
    const edited = START + 30 * HOUR
    many.server.records = records(300, edited)
    expect(await many.sync(START, edited)).toMatchObject({ status: 'proven' })
    expect((await many.rows()).gone).toEqual([])
    expect(await many.findings()).not.toContain('many_absent')
  })
})

describe('a row that leaves the list while it is read', () => {
  const readWhile = async (api: Synced, change: () => void): Promise<void> => {
    let asked = 0
    api.server.records = records(12)
    api.server.lie = (rows, total) => {
      if (++asked === 1) change()
      return { rows, total }
    }
    expect(await api.sync()).toMatchObject({ status: 'proven', counts: { inserted: 12 } })
  }

  it.each(['work', 'find nothing', 'refuse'] as const)(
    'is a tombstone at once, also in the first reading of its window (lookups %s)',
    async lookups => {
      const api = await start()
      api.server.lookups = lookups
      await readWhile(api, () => void (api.server.records = records(12).slice(0, 11)))
      expect(await api.rows()).toEqual({
        alive: records(12)
          .slice(0, 11)
          .map(({ id }) => id),
        gone: ['t011'],
      })
    },
  )

  it.each(['work', 'find nothing', 'refuse'] as const)(
    'stays where it only moved on (lookups %s)',
    async lookups => {
      const api = await start()
      api.server.lookups = lookups
      await readWhile(
        api,
        () =>
          void (api.server.records = [
            ...records(12).slice(0, 11),
            { id: 't011', modified: NOW - HOUR },
          ]),
      )
      expect((await api.rows()).gone).toEqual([])
    },
  )
})

describe('a list that is read whole', () => {
  it('makes tombstones of what is not in it any more, when it is proven', async () => {
    const api = await start({ windowing: 'full-refresh' })
    api.server.lookups = 'refuse'
    api.server.records = records(12)
    await api.sync()
    api.server.records = records(12).slice(1)
    await api.sync()
    expect((await api.rows()).gone).toEqual(['t000'])
  })
})

test('a row that the API called deleted is no control for lookups: it is not found by its id', async () => {
  const api = await start({
    columns: { ...tickets.columns, ...boolean('deleted') },
  })
  const elsewhere = { id: 'living', modified: START + 6 * 24 * HOUR }
  const deleted = { id: 'deleted', modified: START + 7 * 24 * HOUR, deleted: true }
  api.server.records = [...records(1), elsewhere, deleted]
  await api.sync()
  await api.sync(elsewhere.modified - HOUR, deleted.modified + HOUR)
  // The window shows nothing any more, and the API knows neither this record nor the deleted one.
  api.server.records = [elsewhere]
  expect(await api.sync()).toMatchObject({ status: 'proven' })
  expect(api.server.asked.filter(path => path.endsWith('/t000'))).toHaveLength(1)
  expect(api.server.asked.filter(path => path.endsWith('/deleted'))).toEqual([])
  const { rows } = await sql`SELECT id FROM tickets WHERE deleted_because = 'absent'`.execute(
    api.dependencies.destination.db,
  )
  expect(rows).toEqual([{ id: 't000' }])
})

test('a record that the list leaves out, and that its id says is deleted, is deleted', async () => {
  const api = await start()
  api.server.records = records(12)
  await api.sync()
  api.server.hides = new Set(['t003'])
  api.server.records = api.server.records.map(record =>
    record.id === 't003' ? { ...record, deleted: true, modified: record.modified + 1 } : record,
  )
  expect(await api.sync()).toMatchObject({ status: 'proven' })
  const { rows } = await sql<{ raw: string }>`SELECT raw FROM tickets WHERE id = 't003'`.execute(
    api.dependencies.destination.db,
  )
  expect(JSON.parse(rows[0]!.raw)).toMatchObject({ deleted: true })
})
