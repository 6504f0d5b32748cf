import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { streams } from '../../connectors/partner/streams/index.ts'
import { members } from '../../connectors/partner/streams/members.ts'
import { transactions } from '../../connectors/partner/streams/transactions.ts'
import { openDestination } from '../../connectors/sqlite/destination.ts'
import type { Stream } from '../../connectors/stream.ts'
import { memberKeyOf } from '../../exports/sales/member-secret.ts'
import { openDatabase } from '../connectors/sqlite/window-database.ts'
import type { WindowDatabase } from '../connectors/sqlite/window-database.ts'
import { Project } from '../helpers/project.ts'

const at = Date.parse('2026-03-02T12:00:00Z')
const NAME = 'Adalovelace'
const ada = (more: object = {}): string =>
  JSON.stringify({
    id: 'M-ada-1',
    modified: at,
    firstName: NAME,
    email: `${NAME}@a.example`,
    consumerUserId: 'C-ada-1',
    ...more,
  })
const bob = JSON.stringify({
  id: 'M-bob-2',
  modified: at,
  firstName: 'Bobbert',
  careGivers: [{ id: 'M-ada-1', name: NAME }],
})
const sale = (id: string, memberId: string, more: object = {}): string =>
  `{"id":"${id}","modified":${at},"completedTime":${at},"memberId":"${memberId}","status":"Completed",` +
  `"transType":"Sale","cart":{"total":12.50,"items":[{"orderItemId":"${id}-1","quantity":1.0,"finalPrice":12.50}]},` +
  `"memo":"${NAME}","more":${JSON.stringify(more)}}`

let project: Project
let database: WindowDatabase
const forget = (...args: string[]) =>
  project.run('forget', ...args, '--by', 'Ana', '--reason', 'as asked', '--json')

/** What a sync would do with what the API says today. */
const read = (stream: Stream, ...records: string[]) => database.load(stream, [records]).counts

beforeEach(async () => {
  project = new Project()
  const store = { baseUrl: 'http://127.0.0.1:1', partnerKey: 'p', developerKey: 'd' }
  project.configure([{ id: 'downtown', ...store }], { database: 'tillage.db', exports: 'exports' })
  database = await openDatabase(streams, join(project.folder, 'tillage.db'))
  read(members, ada({ nickname: `${NAME} the first` }))
  read(members, ada({ modified: at + 1 }), bob)
  read(
    transactions,
    sale('T1', 'M-ada-1', { member: { id: 'M-ada-1', firstName: NAME } }),
    sale('T2', 'M-bob-2'),
  )
  database.connection.exec(`
    INSERT INTO dead_letters VALUES
      ('downtown', 'members', 'M-ada-1', 'r', '{"id":"M-ada-1","firstName":"${NAME}","dob":"x"}', 's', 'e', 'now'),
      ('downtown', 'transactions', 'T9', 'r', '{"id":"T9","memberId":"M-ada-1","memo":"${NAME}"', 's', 'e', 'now');
    INSERT INTO findings VALUES ('downtown/members/x/M-ada-1', 'downtown', 'members', 'x', 'of M-ada-1.', 1, 'a', 'b');
    INSERT OR REPLACE INTO shapes VALUES ('downtown', 'members', 'w', '{"count":1,"kinds":{"object":"M-ada-1"},"objects":1,"fields":{}}')`)
})
afterEach(() => project.remove())

const bytes = (): string =>
  readdirSync(project.folder)
    .filter(name => name.startsWith('tillage.db'))
    .map(name => readFileSync(join(project.folder, name), 'latin1'))
    .join('')

describe('forget', () => {
  test('takes every trace out of the database, down to its free pages, and keeps the figures', async () => {
    database.connection.close()
    expect(bytes()).toContain(NAME)
    const { status, stdout } = await forget('M-ada-1')
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      by: 'Ana',
      reason: 'as asked',
      overwritten: true,
      stores: [
        {
          store: 'downtown',
          left: [],
          tables: expect.arrayContaining([
            { table: 'members', removed: 1, changed: 1 },
            { table: 'transactions', removed: 0, changed: 1 },
            { table: 'versions', removed: 1, changed: 0 },
            { table: 'dead_letters', removed: 2, changed: 0 },
          ]) as unknown,
        },
      ],
    })
    for (const trace of ['M-ada-1', 'C-ada-1', `${NAME}@`]) expect(bytes()).not.toContain(trace)
    database = await openDatabase(streams, database.path)
    expect(database.all('SELECT id, member_id, cart_total FROM transactions ORDER BY id')).toEqual([
      { id: 'T1', member_id: 'forgotten', cart_total: '12.50' },
      { id: 'T2', member_id: 'M-bob-2', cart_total: '12.50' },
    ])
    expect(database.all('SELECT transaction_id, final_price FROM transaction_items')).toHaveLength(
      2,
    )
    expect(database.all('SELECT id FROM members')).toEqual([{ id: 'M-bob-2' }])
    expect(database.all('SELECT count(*) AS n FROM versions')).toEqual([{ n: 0 }])
    expect(database.all("SELECT shape ->> '$.kinds.object' AS first FROM shapes")).toContainEqual({
      first: 'forgotten',
    })
    expect(database.all('SELECT id, detail FROM findings')).toEqual([
      { id: 'downtown/members/x/forgotten', detail: 'of forgotten.' },
    ])
  })

  test('is named when a backup from before is restored, for it brings the person back', async () => {
    expect(await project.run('backup', 'b.db')).toMatchObject({ status: 0 })
    const { stdout } = await forget('M-ada-1')
    const { at: forgottenAt } = JSON.parse(stdout) as { at: string }
    database.connection.close()
    const restored = await project.run('restore', 'b.db', '--replace', '--json')
    expect(JSON.parse(restored.stdout)).toMatchObject({ forgetAgain: [forgottenAt] })
    expect(await forget('M-ada-1')).toMatchObject({ status: 0 })
    const later = await project.run('backup', 'later.db')
    expect(later.status).toBe(0)
    const again = await project.run('restore', 'later.db', '--replace', '--json')
    expect(JSON.parse(again.stdout)).toMatchObject({ forgetAgain: [] })
    database = await openDatabase(streams, database.path)
  })

  test('holds against a later sync, whose counts add up, and against what compares us with the API', async () => {
    expect(await forget('M-ada-1')).toMatchObject({ status: 0 })
    const before = database.all('SELECT * FROM rows_transactions')
    expect(read(members, ada({ modified: at + 5 }), bob)).toMatchObject({
      fetched: 2,
      inserted: 0,
      duplicate: 1,
      unchanged: 1,
    })
    expect(
      read(
        transactions,
        sale('T1', 'M-ada-1', { member: { id: 'M-ada-1', firstName: NAME } }),
        sale('T3', 'M-ada-1'),
      ),
    ).toMatchObject({ fetched: 2, inserted: 1, unchanged: 1 })
    expect(database.all('SELECT * FROM rows_transactions').slice(0, 2)).toEqual(before)
    expect(database.all("SELECT member_id FROM transactions WHERE id = 'T3'")).toEqual([
      { member_id: 'forgotten' },
    ])
    const destination = await openDestination(database.path, streams)
    const compare = (stream: Stream, ...records: string[]) =>
      destination.rows.compare('downtown', stream, {
        records,
        readAtMs: at + 1000,
        fields: 'all',
      })
    expect(await compare(members, ada(), bob)).toEqual([])
    expect(
      await compare(
        transactions,
        sale('T1', 'M-ada-1', { member: { id: 'M-ada-1', firstName: NAME } }),
      ),
    ).toEqual([])
    expect(await compare(members, JSON.stringify({ id: 'M-new', modified: at }))).toMatchObject([
      { difference: 'missing' },
    ])
    await destination.close()
  })

  test('lists exported files with people, says what stays as evidence, and logs who asked', async () => {
    const folder = join(project.folder, 'exports', 'downtown', '2026-03-02')
    mkdirSync(folder, { recursive: true })
    // As the store was called when these were given out (`store rename`).
    const before = join(project.folder, 'exports', 'oldtown', '2026-03-01')
    mkdirSync(before, { recursive: true })
    const manifest = (people: boolean, name: string, store = 'downtown'): object => ({
      manifest: 2,
      tool: 't',
      writer: 'w',
      store,
      revision: 0,
      people,
      days: { from: '2026-03-02', to: '2026-03-03' },
      range: { start: 's', end: 'e' },
      datasets: [],
      proof: {},
      previous: null,
      files: [
        {
          path: name,
          dataset: 'members',
          format: 'csv',
          rows: 1,
          bytes: 1,
          sha256: 'a'.repeat(64),
          revision: 0,
        },
      ],
    })
    for (const [people, name] of [
      [true, 'with.csv'],
      [false, 'without.csv'],
    ] as const) {
      writeFileSync(join(folder, name), 'x')
      writeFileSync(
        join(folder, `manifest_downtown_2026-03-02_r${people ? 0 : 1}.json`),
        JSON.stringify(manifest(people, name)),
      )
    }
    writeFileSync(join(before, 'with.csv'), 'x')
    writeFileSync(
      join(before, 'manifest_oldtown_2026-03-01_r0.json'),
      JSON.stringify(manifest(true, 'with.csv', 'oldtown')),
    )
    await project.run('history', 'members', 'M-ada-1', '--values')
    const { stdout } = await forget('M-ada-1')
    expect(JSON.parse(stdout)).toMatchObject({
      files: [join(folder, 'with.csv'), join(before, 'with.csv')],
      stores: [{ left: [{ table: 'audit_log', rows: 1 }] }],
    })
    const log = database.all("SELECT detail FROM audit_log WHERE act = 'forget'")
    expect(log).toEqual([{ detail: '{"stores":["downtown"],"by":"Ana","reason":"as asked"}' }])
    expect(dirname(database.path)).toBe(project.folder)
  })

  test('leaves the books their rows, under a key that does not lead to them', async () => {
    const secret = 'ab'.repeat(32)
    writeFileSync(`${database.path}.member-secret`, secret)
    database.connection.exec(
      'CREATE TABLE rows_books_x (store_id TEXT, member_key TEXT, total TEXT)',
    )
    const insert = database.connection.prepare("INSERT INTO rows_books_x VALUES ('downtown', ?, ?)")
    insert.run(memberKeyOf('M-ada-1', secret), '12.50')
    insert.run(memberKeyOf('M-bob-2', secret), '1.00')
    expect(await forget('M-ada-1')).toMatchObject({ status: 0 })
    expect(database.all('SELECT member_key, total FROM rows_books_x')).toEqual([
      { member_key: memberKeyOf('forgotten', secret), total: '12.50' },
      { member_key: memberKeyOf('M-bob-2', secret), total: '1.00' },
    ])
  })

  test('finds an id in whichever characters the API escapes it, then and later', async () => {
    const id = 'a/b+7="\n\u202eé'
    const quoted = JSON.stringify(id)
    const everyCharacter = [...id].map(
      one => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    const spellings = [quoted, quoted.replace('/', '\\/'), `"${everyCharacter.join('')}"`]
    const again = (spelled: string, n: number): string[] => [
      sale(`E${n}`, 'X').replace('"X"', spelled),
      `{"id":${spelled},"modified":${at + n},"firstName":"${NAME}"}`,
    ]
    spellings.forEach((spelled, n) => {
      const [one, member] = again(spelled, n) as [string, string]
      read(transactions, one)
      read(members, member)
    })
    const mentions = (): unknown =>
      database.all(
        `SELECT (SELECT count(*) FROM members WHERE id = ?) +
           (SELECT count(*) FROM transactions WHERE member_id = ?) AS n`,
        id,
        id,
      )
    expect(mentions()).toEqual([{ n: 4 }])
    const { status, stdout } = await forget(id)
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ stores: [{ left: [] }] })
    expect(mentions()).toEqual([{ n: 0 }])
    spellings.forEach((spelled, n) => {
      const [one, member] = again(spelled, n + 10) as [string, string]
      read(transactions, one)
      read(members, member)
    })
    expect(mentions()).toEqual([{ n: 0 }])
    expect(database.all("SELECT id FROM transactions WHERE member_id = 'forgotten'")).toHaveLength(
      6,
    )
  })

  test('looks into stores that are in the database and no longer in tillage.yaml', async () => {
    database.connection.exec(
      "INSERT INTO stores VALUES ('closed', 'C', 'S', 'x', 'UTC', 'now', NULL)",
    )
    database.load(members, [[ada()]], { store: 'closed' })
    const { stdout } = await forget('M-ada-1')
    expect(JSON.parse(stdout)).toMatchObject({
      stores: [{ store: 'downtown' }, { store: 'closed' }],
    })
    expect(database.all('SELECT id FROM members')).toEqual([{ id: 'M-bob-2' }])
  })

  test('of an id that two companies have is refused: that may be two people', async () => {
    const store = (id: string, company: string): string =>
      `INSERT INTO stores VALUES ('${id}', '${company}', '${id}', 'x', 'UTC', 'now', NULL)`
    database.connection.exec(store('downtown', 'C1'))
    database.connection.exec(store('uptown', 'C2'))
    database.load(members, [[ada()]], { store: 'uptown' })
    expect(await forget('M-ada-1')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('these may be several people; nothing was changed') as string,
    })
    expect(database.all("SELECT store_id FROM members WHERE id = 'M-ada-1'")).toHaveLength(2)
    expect(await forget('M-ada-1', '--store', 'uptown')).toMatchObject({ status: 0 })
    expect(database.all("SELECT store_id FROM members WHERE id = 'M-ada-1'")).toEqual([
      { store_id: 'downtown' },
    ])
  })

  test.each([
    ['Sale', 'transactions transType'],
    ['T2', 'transactions id'],
    ['Bobbert', 'members firstName'],
  ])('of %s, which is no member, changes nothing and says what it is', async (id, place) => {
    const before = [
      database.all('SELECT * FROM rows_transactions'),
      database.all('SELECT * FROM rows_members'),
    ]
    const { status, stderr } = await forget(id)
    expect(status).toBe(2)
    expect(stderr).toContain(`${id} is not the id of a member: it is an id in ${place};`)
    expect([
      database.all('SELECT * FROM rows_transactions'),
      database.all('SELECT * FROM rows_members'),
    ]).toEqual(before)
    expect(database.all('SELECT * FROM forgotten_members')).toEqual([])
  })

  test('of nobody, as an empty variable says it, changes nothing', async () => {
    read(transactions, sale('T3', ''))
    const { status, stderr } = await forget('')
    expect(status).toBe(2)
    expect(stderr).toContain('the id of the member is empty')
    expect(database.all("SELECT id FROM transactions WHERE member_id = 'forgotten'")).toEqual([])
  })

  test('of a member whose id another record has as well is refused, and finds one without a record', async () => {
    read(transactions, sale('M-bob-2', 'M-eve-3'))
    expect(await forget('M-bob-2')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('and of a record of transactions') as string,
    })
    expect(await forget('M-eve-3')).toMatchObject({ status: 0 })
  })

  test('of somebody that nobody knows changes nothing and says so', async () => {
    const { status, stderr } = await forget('M-nobody')
    expect(status).toBe(2)
    expect(stderr).toContain('no trace of a member M-nobody')
    expect(database.all('SELECT * FROM forgotten_members')).toEqual([])
    expect(database.all('SELECT * FROM audit_log')).toEqual([])
  })
})
