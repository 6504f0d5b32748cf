import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PROMISED } from '../../../connectors/destination/given-out.ts'
import type { GivenFile, GivenOut, KeptEntry } from '../../../connectors/destination/given-out.ts'
import { logIn } from '../../../connectors/sql/audit-log.ts'
import { givenOutOn } from '../../../connectors/sql/given-out.ts'
import { pushMemoryOn } from '../../../connectors/sql/push-memory.ts'
import { KINDS } from './databases.ts'
import type { SharedTables } from './databases.ts'

const AT = '2026-04-01T00:00:00.000Z'
const RANGE = { store: 'downtown', days: { from: '2026-03-08', to: '2026-03-09' } }

const entryOf = (number: string, revision: number, date: string): KeptEntry => ({
  number,
  revision,
  entry: JSON.stringify({ number, date, text: 'Piña\n"1"', amount: '15000000000000000001n' }),
  settings: revision === 0 ? '{"accounts":1}' : null,
})

const fileAt = (path: string, sha256: string, dataset = 'transactions'): GivenFile => ({
  store: 'downtown',
  ...RANGE.days,
  dataset,
  format: 'csv',
  revision: 0,
  addition: 0,
  rows: 3,
  sha256,
  path,
})

describe.each(Object.entries(KINDS))('what was given out, on %s,', (_, open) => {
  let tables: SharedTables
  let given: GivenOut
  let other: GivenOut

  beforeAll(async () => {
    tables = await open()
    given = givenOutOn(tables.connect())
    other = givenOutOn(tables.connect())
  })
  afterAll(() => tables.close())

  it('has the number of its newest state, each state once', async () => {
    expect(await given.newestState(RANGE, 'transactions')).toBeUndefined()
    for (const [revision, state] of [
      [0, 'a'],
      [1, 'b'],
      [1, 'c'],
    ] as const)
      await given.rememberState(RANGE, 'transactions', { revision, state })
    expect(await other.newestState(RANGE, 'transactions')).toEqual({ revision: 1, state: 'c' })
  })

  it('has the entries of a day as they were posted, letter for letter', async () => {
    const [first, second] = [entryOf('D-R0', 0, '2026-03-08'), entryOf('D-R1', 1, '2026-04-02')]
    const files = [{ format: 'qbo', revision: 0 }]
    expect(await given.posted('downtown', '2026-03-08')).toEqual([])
    await given.post('downtown', '2026-03-08', { entries: [first], files, at: AT })
    await given.post('downtown', '2026-03-08', { entries: [second], files, at: AT })
    expect(await other.posted('downtown', '2026-03-08')).toEqual([first, second])
    const range = { from: '2026-03-08', to: '2026-03-09' }
    expect(await other.journalFiles('downtown', range)).toEqual([
      { day: '2026-03-08', ...files[0] },
    ])
    expect(await other.entriesNumbered('d-r1')).toEqual([
      { store: 'downtown', day: '2026-03-08', number: 'D-R1' },
    ])
    expect(await other.revisedSince('downtown', AT)).toEqual([
      { day: '2026-03-08', number: 'D-R1', entry: second.entry, at: AT },
    ])
    const april = { from: '2026-04-01', to: '2026-05-01' }
    expect(await other.postedOn('downtown', april)).toEqual([second.entry])
    // The newest entry says nothing of its settings.
    expect(await other.settingsByDay('downtown')).toEqual(new Map())
    await given.post('downtown', '2026-03-09', {
      entries: [entryOf('E-R0', 0, '2026-03-09')],
      files: [],
      at: AT,
    })
    expect(await other.settingsByDay('downtown')).toEqual(
      new Map([['2026-03-09', '{"accounts":1}']]),
    )
  })

  it('is posted whole or not at all', async () => {
    const broken = { ...entryOf('F-R0', 0, '2026-03-10'), entry: null as unknown as string }
    const entries = [entryOf('F-R1', 0, '2026-03-10'), broken]
    await expect(
      given.post('downtown', '2026-03-10', { entries, files: [], at: AT }),
    ).rejects.toThrow(/null/i)
    expect(await other.posted('downtown', '2026-03-10')).toEqual([])
  })

  it('knows until which reading a day is as it was posted, and what was accepted of it', async () => {
    const cut = { timeZone: 'America/Los_Angeles', dayStartsAt: '02:00' }
    await given.rememberPosted('downtown', { day: '2026-03-08', batch: 7, ...cut })
    await given.rememberPosted('downtown', { day: '2026-03-08', batch: 9, ...cut })
    expect(await other.postedDays('downtown')).toEqual([{ day: '2026-03-08', batch: 9, ...cut }])
    await given.accept('downtown', '2026-03-08', [{ transactionId: 'T9', detail: 'old' }])
    const differences = [
      { transactionId: 'T2', detail: 'one' },
      { transactionId: 'T1', detail: 'other' },
    ]
    await given.accept('downtown', '2026-03-08', differences)
    expect(await other.accepted('downtown', '2026-03-08')).toEqual(differences)
  })

  it('has every name once, the newest last, and none that was taken back', async () => {
    await given.rememberFiles([fileAt('/out/a.csv', '1'), fileAt('/old/a.csv', '2')])
    await given.rememberFiles([fileAt('/out/a.csv', '3'), fileAt('/outside/b.csv', '4')])
    await given.rememberFiles([fileAt('/out/m.json', '5', 'manifest')])
    expect(await other.givenIn('/out')).toEqual(
      new Map([
        ['a.csv', '3'],
        ['m.json', '5'],
      ]),
    )
    expect(await other.givenOf(RANGE, ['transactions'])).toEqual(
      new Map([
        ['a.csv', '3'],
        ['b.csv', '4'],
      ]),
    )
    expect((await other.files()).map(({ path }) => path)).toEqual([
      '/old/a.csv',
      '/out/a.csv',
      '/outside/b.csv',
    ])
    await given.forgetFiles(['/out/a.csv', '/out/m.json'])
    expect(await other.givenIn('/out')).toEqual(new Map())
  })

  it('knows what lies in a bucket by its address', async () => {
    await given.rememberFiles([
      fileAt('s3://books/a/x.csv', '1'),
      fileAt('s3://books/ab/y.csv', '2'),
    ])
    expect(await other.givenIn('s3://books/a')).toEqual(new Map([['x.csv', '1']]))
    await given.forgetFiles(['s3://books/a/x.csv', 's3://books/ab/y.csv'])
  })

  it('has its closed months and manifests in the audit log, numbered without a gap', async () => {
    const period = { store: 'downtown', by: 'Ana', reason: null, at: AT }
    await Promise.all([
      given.recordPeriod({ ...period, month: '2026-02', event: 'closed' }),
      other.recordPeriod({ ...period, month: '2026-01', event: 'closed' }),
      other.keepManifest({ folder: '/out', name: 'm.json', sha256: '5' }),
    ])
    await given.keepManifest({ folder: '/out', name: 'm.json', sha256: '5' })
    const manifests = await other.manifests(0)
    expect(manifests).toEqual([
      { seq: manifests[0]!.seq, folder: '/out', name: 'm.json', sha256: '5' },
    ])
    expect(await other.manifests(manifests[0]!.seq)).toEqual([])
    const { entries, breaks } = await logIn(tables.connect())
    expect([entries.map(({ seq }) => seq), breaks]).toEqual([[1, 2, 3], []])
    expect((await other.periods('downtown')).map(({ month }) => month).toSorted()).toEqual([
      '2026-01',
      '2026-02',
    ])
    expect(await other.periods('harbor')).toEqual([])
    expect(await other.periods()).toHaveLength(2)
  })

  it('names a day of which something was posted and not given out, until a journal of it is', async () => {
    const march = { from: '2026-03-01', to: '2026-04-01' }
    const unfinished = (): Promise<string[]> => other.unfinished('downtown', march)
    const day = fileAt('/out/d/r0.json', '7', 'manifest')
    const promised = { ...day, format: PROMISED }
    await given.rememberFiles([promised, { ...promised, path: '/out/w/r0.json', ...march }])
    expect(await unfinished()).toEqual([RANGE.days.from])
    expect(await other.unfinished('harbor', march)).toEqual([])
    await given.rememberFiles([fileAt('/out/d/r1.json', '9', 'manifest')])
    expect(await unfinished()).toEqual([RANGE.days.from])
    await given.rememberFiles([day])
    expect(await unfinished()).toEqual([])
    await given.rememberFiles([{ ...promised, path: '/out/d/r2.json' }])
    await given.keepPromises({ ...RANGE, store: 'harbor' })
    expect(await unfinished()).toEqual([RANGE.days.from])
    await given.keepPromises(RANGE)
    expect(await unfinished()).toEqual([])
  })

  it('says what was imported, and which findings it made, counted', async () => {
    const act = { store: 'downtown', day: '2026-03-08', revision: 0, by: 'Ana', at: AT }
    const posted = { ...act, event: 'posted', ref: 'QB-1', reason: null } as const
    await given.recordPostingAct(posted)
    expect(await other.postingActs('downtown')).toEqual([posted])
    const about = { store: 'downtown', stream: 'transactions', readAt: AT }
    const finding = { code: 'decimal_beyond_type', path: 'a.b', detail: 'x' } as const
    const id = 'downtown/transactions/decimal_beyond_type/a.b'
    expect(await given.noteFindings(about, [finding])).toEqual([id])
    expect(await given.noteFindings(about, [{ ...finding, detail: 'y' }])).toEqual([id])
    const [kept] = await tables.db.selectFrom('findings').selectAll().execute()
    expect(kept).toMatchObject({ id, times: 2, detail: 'y', first_seen_at: AT })
  })

  it('has beside it what pushes remember', async () => {
    const memory = pushMemoryOn(tables.connect())
    await memory.keepAsset('downtown', 'a', 'one')
    await memory.keepAsset('downtown', 'a', 'two')
    expect(await memory.assets('downtown')).toEqual(new Map([['a', 'two']]))
    const file = { path: '/c.csv', sha256: 'b', plan: null, at: AT }
    expect(await memory.lastFile('catalog')).toBeUndefined()
    await memory.keepFile('catalog', file)
    await memory.keepFile('catalog', { ...file, plan: 'PL-1' })
    expect(await memory.lastFile('catalog')).toEqual({ ...file, plan: 'PL-1' })
  })
})
