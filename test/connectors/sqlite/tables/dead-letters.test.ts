import type Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { decimal, text, timestamp } from '../../../../connectors/stream.ts'
import { salesStream } from '../sales-stream.ts'
import { newPath, openDatabase } from '../window-database.ts'

const sales = salesStream({ ...text('id'), ...timestamp('modified'), ...decimal('total') })

const good = '{"id":"a","modified":1,"total":"1.50"}'
const bad = '{"id":"a","modified":2,"total":"one fifty"}'
const mended = '{"id":"a","modified":3,"total":"1.75"}'
const other = '{"id":"b","modified":1,"total":"9.00"}'

describe('a dead letter', () => {
  it('keeps the last good row beside it, and goes when the record comes mended', async () => {
    const { load, all } = await openDatabase([sales])
    load(sales, [[good, other]])
    expect(load(sales, [[bad, other]]).counts).toMatchObject({ deadLettered: 1, unchanged: 1 })
    expect(all('SELECT id, total FROM sales')).toEqual([
      { id: 'a', total: '1.50' },
      { id: 'b', total: '9.00' },
    ])
    expect(all('SELECT record_key, reason FROM dead_letters')).toEqual([
      { record_key: 'a', reason: 'total: expected decimal, received string' },
    ])
    load(sales, [[mended, other]])
    expect(all('SELECT * FROM dead_letters')).toEqual([])
  })

  it('goes when the record comes back as it was before it went bad', async () => {
    const { load, all } = await openDatabase([sales])
    for (const record of [good, bad, good]) load(sales, [[record]])
    expect(all('SELECT * FROM dead_letters')).toEqual([])
  })

  it('stays while other records come, and while a good copy loses against a bad and newer one', async () => {
    const { load, all } = await openDatabase([sales])
    load(sales, [[bad]])
    load(sales, [[other]])
    expect(all('SELECT record_key FROM dead_letters')).toEqual([{ record_key: 'a' }])
    load(sales, [[good], [bad]])
    expect(all('SELECT record_key FROM dead_letters')).toEqual([{ record_key: 'a' }])
  })
})

describe('replay', () => {
  const wider = salesStream(
    { ...text('id'), ...timestamp('modified'), ...text('total') },
    { sale_items: { path: 'items', columns: text('note') } },
  )
  const strict = salesStream(
    { ...text('id'), ...timestamp('modified'), ...decimal('total') },
    { sale_items: { path: 'items', columns: decimal('note') } },
  )
  const chosen = (
    keys: string[],
  ): { store: string; stream: string; keys: string[]; readAt: string } => ({
    store: 'downtown',
    stream: 'sales',
    keys,
    readAt: '2026-03-09T00:00:00.000Z',
  })

  it('loads a record after its column was declared with another type, and not before', async () => {
    const path = newPath()
    const first = await openDatabase([strict], path)
    first.load(strict, [
      [
        good,
        '{"id":"b","modified":1,"items":[{"note":"n"}]}',
        '{"id":"c","modified":2,"total":"one fifty"}',
        '{"id":"","modified":2}',
      ],
    ])
    expect(first.store.replay(chosen(['b', 'c']))).toEqual({ resolved: [], refused: ['b', 'c'] })
    expect(first.all('SELECT count(*) AS n FROM dead_letters')).toEqual([{ n: 3 }])

    const { store, all, load } = await openDatabase([wider], path)
    const keys = all('SELECT record_key FROM dead_letters ORDER BY record_key').map(
      ({ record_key }) => String(record_key),
    )
    expect(store.replay(chosen(keys))).toEqual({ resolved: ['b', 'c'], refused: [keys[2]] })
    expect(all('SELECT id, total FROM sales ORDER BY id')).toEqual([
      { id: 'a', total: '1.50' },
      { id: 'b', total: null },
      { id: 'c', total: 'one fifty' },
    ])
    expect(all('SELECT sale_id, note FROM sale_items')).toEqual([{ sale_id: 'b', note: 'n' }])
    expect(
      all(
        "SELECT status, counts ->> 'inserted' AS inserted, counts ->> 'deadLettered' AS dead FROM readings WHERE batch = 3",
      ),
    ).toEqual([{ status: 'replayed', inserted: 2, dead: 1 }])
    expect(load(wider, [['{"id":"c","modified":2,"total":"one fifty"}']]).counts).toMatchObject({
      unchanged: 1,
    })
  })

  it('settles a letter that is older than the row beside it, and leaves the row', async () => {
    const { store, load, all, connection } = await openDatabase([sales])
    load(sales, [[bad]])
    load(sales, [[other]])
    connection.exec(`UPDATE dead_letters SET raw = '${good}'`)
    load(sales, [[mended.replace('"a"', '"x"')]])
    connection.exec(`UPDATE rows_sales SET id = 'a' WHERE id = 'x'`)
    expect(store.replay(chosen(['a']))).toEqual({ resolved: ['a'], refused: [] })
    expect(all("SELECT total FROM sales WHERE id = 'a'")).toEqual([{ total: '1.75' }])
  })
})

describe('a dead letter of a record that was deleted', () => {
  const replayed = {
    store: 'downtown',
    stream: 'sales',
    keys: ['a'],
    readAt: '2026-03-09T00:00:00.000Z',
  }
  const correct = (connection: Database.Database): unknown =>
    connection.prepare('UPDATE dead_letters SET raw = ?').run(mended)
  const gone = "SELECT total FROM sales WHERE deleted_because = 'absent'"

  it('does not bring it back when it is replayed, but is kept as a version', async () => {
    const { store, load, all, connection } = await openDatabase([sales])
    load(sales, [[good]])
    load(sales, [[bad]])
    load(sales, [[other]], { gone: ['a'] })
    correct(connection)
    expect(store.replay(replayed)).toEqual({ resolved: ['a'], refused: [] })
    expect(all(gone)).toEqual([{ total: '1.50' }])
    expect(all('SELECT raw FROM versions WHERE gone_at IS NULL ORDER BY modified')).toEqual([
      { raw: good },
      { raw: mended },
    ])
  })

  it('is none any more when it is shown again, badly as it is: its last state stands until then', async () => {
    const { store, load, all, connection } = await openDatabase([sales])
    load(sales, [[good]])
    load(sales, [[bad]])
    load(sales, [[other]], { gone: ['a'] })
    expect(all(gone)).toEqual([{ total: '1.50' }])
    // Of the window beside it, whose reading began before.
    const beside = { start: '2026-03-07T00:00:00.000Z', end: '2026-03-08T00:00:00.000Z' }
    load(sales, [[bad]], { since: 2, window: beside })
    expect(all(gone)).toEqual([{ total: '1.50' }])
    load(sales, [[bad]])
    expect(all(gone)).toEqual([])
    expect(all("SELECT total FROM sales WHERE id = 'a'")).toEqual([{ total: '1.50' }])
    correct(connection)
    store.replay(replayed)
    expect(all(gone)).toEqual([])
    expect(all("SELECT total FROM sales WHERE id = 'a'")).toEqual([{ total: '1.75' }])
  })
})

describe('an edited dead letter', () => {
  it('stands in the window that brought this state of it, and was seen first when it was', async () => {
    const { load, all } = await openDatabase([sales])
    const later = { start: '2026-03-07T00:00:00.000Z', end: '2026-03-08T00:00:00.000Z' }
    const place = 'SELECT window_start, first_seen_at FROM dead_letters'
    const first = {
      window_start: '2026-03-01T00:00:00.000Z',
      first_seen_at: '2026-03-08T00:00:00.000Z',
    }
    load(sales, [[bad]])
    load(sales, [[bad]], { window: later, readAt: '2026-03-09T00:00:00.000Z' })
    expect(all(place)).toEqual([first])
    load(sales, [[bad.replace('2', '4')]], { window: later, readAt: '2026-03-09T00:00:00.000Z' })
    expect(all(place)).toEqual([{ ...first, window_start: later.start }])
  })
})

describe('discard', () => {
  it('keeps the record, who, when and why, and touches no other', async () => {
    const { store, load, all } = await openDatabase([sales])
    load(sales, [[bad, bad.replace('"a"', '"b"')]])
    const choice = { store: 'downtown', stream: 'sales', keys: ['a', 'nobody'] }
    expect(
      store.discardLetters({
        ...choice,
        at: '2026-03-09T00:00:00.000Z',
        by: 'Ada',
        reason: 'a test sale',
      }),
    ).toBe(1)
    expect(all('SELECT record_key FROM dead_letters')).toEqual([{ record_key: 'b' }])
    expect(
      all('SELECT record_key, raw, discarded_by, discard_reason FROM discarded_letters'),
    ).toEqual([{ record_key: 'a', raw: bad, discarded_by: 'Ada', discard_reason: 'a test sale' }])
    load(sales, [[bad]])
    expect(all('SELECT record_key FROM dead_letters')).toEqual([{ record_key: 'b' }])
    load(sales, [[bad.replace('one', 'two')]])
    expect(all('SELECT record_key FROM dead_letters ORDER BY 1')).toEqual([
      { record_key: 'a' },
      { record_key: 'b' },
    ])
  })
})
