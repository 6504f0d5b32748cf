import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAttempts } from '../../../connectors/sql/attempts.ts'
import { createBehaviours } from '../../../connectors/sql/behaviours.ts'
import { createChecks } from '../../../connectors/sql/checks.ts'
import { createFindings } from '../../../connectors/sql/findings.ts'
import { createNotices } from '../../../connectors/sql/notices.ts'
import { createPrograms } from '../../../connectors/sql/programs.ts'
import { createRuns } from '../../../connectors/sql/runs.ts'
import { createSchedules } from '../../../connectors/sql/schedules.ts'
import { createHookAddresses, createStores } from '../../../connectors/sql/stores.ts'
import { countedTotals } from '../../../connectors/sql/totals.ts'
import { KINDS } from './databases.ts'
import type { SharedTables } from './databases.ts'

const AT = '2026-03-08T10:00:00.000Z'
const LATER = '2026-03-08T11:00:00.000Z'

describe.each(Object.entries(KINDS))('the bookkeeping, on %s,', (_, open) => {
  let tables: SharedTables
  beforeAll(async () => {
    tables = await open()
  })
  afterAll(() => tables.close())

  it('knows the newest attempt of a store, and since when it fails', async () => {
    const attempts = createAttempts(tables.db, tables.statements)
    const failed = { store: 'a', outcome: 'failed', code: 'X', detail: 'd' } as const
    await attempts.keep({ ...failed, at: AT })
    await attempts.keep({ ...failed, at: LATER })
    expect(await attempts.last('a')).toEqual({ ...failed, at: LATER, failingSince: AT })
    const answered = {
      store: 'a',
      outcome: 'answered',
      code: undefined,
      detail: undefined,
    } as const
    await attempts.keep({ ...answered, at: LATER })
    expect((await attempts.last('a'))?.failingSince).toBeUndefined()
    await attempts.keepDrift({ store: 'a', at: AT, records: 5, drifted: 1 })
    await attempts.keepDrift({ store: 'a', at: AT, records: 6, drifted: 2 })
    expect(await attempts.lastDrift('a')).toEqual({ store: 'a', at: AT, records: 6, drifted: 2 })
  })

  it('keeps what was learned of an API until something else is known', async () => {
    const behaviours = createBehaviours(tables.db, tables.statements)
    const fact = { stream: '', name: 'cap', value: '100', evidence: 'e', seenAt: AT }
    await behaviours.keep('a', [fact])
    await behaviours.keep('a', [{ ...fact, value: 'unknown' }])
    expect(await behaviours.of('a')).toEqual([fact])
    await behaviours.keep('a', [{ ...fact, value: '200' }])
    expect(await behaviours.of('a')).toEqual([{ ...fact, value: '200' }])
  })

  it('counts findings, and checks keep their rates', async () => {
    const findings = createFindings(tables.db, tables.statements)
    const finding = { id: 'a/s/page_cap', store: 'a', stream: 's', code: 'page_cap' } as const
    await findings.note({ ...finding, detail: 'one', readAt: AT })
    await findings.note({ ...finding, detail: 'two', readAt: LATER })
    const counted = { times: 2, detail: 'two', firstSeenAt: AT, lastSeenAt: LATER }
    expect(await findings.of('a', 's')).toEqual([{ ...finding, ...counted }])
    expect(await findings.byId(['a/s/page_cap', 'none'])).toHaveLength(1)
    const check = { store: 'a', stream: 's', checkedAt: AT, seed: 4_294_967_295, drawn: 3 }
    const counts = { compared: 2, mismatched: 0, changed: 0, healed: 0, rateBound: 0.125 }
    await createChecks(tables.db, tables.statements).add([
      { ...check, ...counts, drawnBy: 'id', boundOf: 'rows' },
    ])
    const rows = await tables.db.selectFrom('checks').select(['seed', 'rate_bound']).execute()
    expect(rows).toEqual([{ seed: 4_294_967_295, rate_bound: 0.125 }])
  })

  it('replaces addresses and programs by their keys, and forgets them', async () => {
    const addresses = createHookAddresses(tables.db, tables.statements)
    await addresses.keep({ store: 'a', secret: 'one' })
    await addresses.keep({ store: 'a', secret: 'two' })
    expect(await addresses.all()).toEqual([{ store: 'a', secret: 'two' }])
    await addresses.forget('a')
    expect(await addresses.all()).toEqual([])
    const programs = createPrograms(tables.db, tables.statements)
    const program = { machine: 'm', pid: 7, processStarted: 's', at: AT, settings: { a: 'b' } }
    await programs.keep({ ...program, problem: 'p' })
    await programs.keep({ ...program, problem: undefined })
    expect(await programs.all()).toEqual([{ ...program, problem: undefined }])
    await programs.forget(program)
    expect(await programs.all()).toEqual([])
  })

  it('lets a day that is done stay so, and counts attempts', async () => {
    const runs = createRuns(tables.db, tables.statements)
    const key = { kind: 'nightly', store: 'a', day: '2026-03-08' } as const
    const due = { ...key, dueAt: AT, deadlineAt: undefined, startedAt: AT }
    await runs.begin(due)
    await runs.begin({ ...due, startedAt: LATER })
    await runs.note(key, { detail: 'over', outcome: 'done', at: LATER })
    await runs.begin(due)
    await runs.note(key, { detail: 'again', outcome: 'failed', at: LATER })
    expect(await runs.newest('nightly', 'a', 5)).toMatchObject([
      { ...key, attempts: 2, outcome: 'done', detail: 'over', startedAt: LATER },
    ])
  })

  it('remembers the end of a run whose beginning was lost', async () => {
    const runs = createRuns(tables.db, tables.statements)
    const key = { kind: 'check', store: 'a', day: '2026-03-08' } as const
    await runs.note(key, { detail: 'waits', at: AT })
    const [begun] = await runs.newest('check', 'a', 5)
    expect(begun).toMatchObject({ ...key, outcome: 'running', detail: 'waits', startedAt: AT })
    await runs.note(key, { detail: 'why', outcome: 'failed', at: LATER })
    expect(await runs.newest('check', 'a', 5)).toEqual([
      {
        ...key,
        dueAt: AT,
        deadlineAt: undefined,
        startedAt: AT,
        finishedAt: LATER,
        outcome: 'failed',
        attempts: 1,
        detail: 'why',
      },
    ])
  })

  it('keeps schedules by their ids', async () => {
    const schedules = createSchedules(tables.db, tables.statements)
    const schedule = { id: 'nightly/a', kind: 'nightly', store: 'a', since: AT } as const
    const standing = { pausedAt: undefined, note: undefined }
    await schedules.keep({ ...schedule, ...standing, facts: { at: '03:30' } })
    await schedules.pause('nightly/a', AT, 'holiday')
    expect(await schedules.all()).toEqual([
      { ...schedule, facts: { at: '03:30' }, pausedAt: AT, note: 'holiday' },
    ])
    await schedules.forget('nightly/a')
    expect(await schedules.all()).toEqual([])
  })

  it('calls nobody twice, and tells which channel fails since when', async () => {
    const notices = createNotices(tables.db, tables.statements)
    const times = { openedAt: AT, toldAt: AT, closedAt: undefined }
    const notice = { id: 'n', key: 'k', kind: 'x', severity: 'warning', things: [1] } as const
    const delivery = { id: 'n/1/mail', channel: 'mail', state: 'opened', document: '{}', at: AT }
    await notices.record([{ ...notice, ...times, number: 2 }], [delivery])
    await notices.record([{ ...notice, ...times, number: 1 }], [delivery])
    expect(await notices.open()).toEqual([{ ...notice, ...times, number: 2 }])
    expect(await notices.openings()).toEqual(new Map([['k', 1]]))
    await notices.noteAttempt('n/1/mail', { at: LATER, outcome: 'waiting', detail: 'no answer' })
    expect(await notices.waiting()).toMatchObject([{ ...delivery, attempts: 1 }])
    expect(await notices.failing()).toEqual([{ channel: 'mail', since: AT, detail: 'no answer' }])
    await notices.noteAttempt('n/1/mail', { at: LATER, outcome: 'taken', detail: '' })
    expect([await notices.failing(), await notices.waiting()]).toEqual([[], []])
  })

  it('lets one shop in under one id alone, of two that come at once', async () => {
    const stores = createStores(tables.db, tables.statements)
    const shop = { companyId: 'C', shopId: 'S', name: 'Shop', baseUrl: 'https://a.example' }
    const known = { timeZone: 'UTC', checkedAt: AT }
    const refusals: number[] = []
    for (let at = 0; at < 20; at++) {
      const ids = ['a', 'b', 'c', 'd', 'e'].map(letter => `${letter}${at}`)
      const one = { ...shop, shopId: `S${at}`, ...known }
      const twins = await Promise.all(ids.map(id => stores.keep({ id, ...one })))
      refusals.push(twins.filter(twin => twin !== undefined).length)
    }
    expect([refusals, await stores.all()]).toMatchObject([refusals.map(() => 4), { length: 20 }])
    await stores.keep({ id: 'first', ...shop, ...known })
    const first = 'first'
    const unnamed = { companyId: undefined, shopId: undefined, name: undefined }
    // What the API does not say this time stays known.
    await stores.keep({ id: first, ...unnamed, baseUrl: shop.baseUrl, ...known, checkedAt: LATER })
    expect(await stores.find(first)).toEqual({ id: first, ...shop, ...known, checkedAt: LATER })
    expect(await stores.keep({ id: 'z', ...shop, baseUrl: 'https://b.example', ...known })).toBe(
      undefined,
    )
    expect(await stores.all()).toHaveLength(22)
  })

  it('adds up what was read since a reading, and what is kept', async () => {
    const counts = { inserted: 2, updated: 1, unchanged: 0, duplicate: 3, deadLettered: 1 }
    const reading = { store_id: 'a', stream: 's', window_start: AT, window_end: LATER }
    for (const batch of [1, 2, 3])
      await tables.statements.execute(
        tables.db
          .insertInto('readings')
          .values({
            ...reading,
            batch,
            status: 'proven',
            counts: JSON.stringify(counts),
            read_at: AT,
          })
          .compile(),
      )
    const totals = countedTotals(tables.db)
    const found = await totals.readings(1)
    expect(found.newest).toBe(3)
    expect(found.totals).toMatchObject([
      { readings: 2, inserted: 4, duplicate: 6, deadLettered: 2 },
    ])
    expect(await totals.readings(3)).toEqual({ totals: [], newest: 3 })
    expect(await totals.nights()).toEqual([{ store: 'a', outcome: 'done', nights: 1 }])
    expect(await totals.operations('unknown')).toEqual([])
    expect(await totals.deadLetters()).toEqual([])
  })
})
