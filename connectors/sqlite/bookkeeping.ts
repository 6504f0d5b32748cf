/** The destination's interfaces over what the tables' own files do. */
import { CompiledQuery } from 'kysely'
import type { Kysely } from 'kysely'
import type { Destination } from '../destination/destination.ts'
import type { Rows } from '../destination/rows.ts'
import type { KnownRun } from '../destination/runs.ts'
import type { KnownStore } from '../destination/stores.ts'
import { keepBehaviours, readBehaviours } from './behaviours.ts'
import { compareRows, mendRows, sameContent, sameWhereBoth } from './compare-rows.ts'
import { countRows, newestIn } from './database.ts'
import { newestLivingRow, provenSpan, rowsToShow, valuesFor } from './known-rows.ts'
import { NOTE_FINDING } from './ledger-writer.ts'
import { readLedger } from './read-ledger.ts'
import { drawRows, rowsNumbered } from './sampled-rows.ts'
import type { Schema } from './schema.ts'
import { countStandingLetters } from './standing-letters.ts'
import type { Statement, WindowStore } from './window-store.ts'

export interface Writer {
  execute(statement: CompiledQuery): Promise<number>
  executeAll(statements: readonly Statement[]): Promise<void>
  replay: (
    letters: Parameters<WindowStore['replay']>[0],
  ) => Promise<ReturnType<WindowStore['replay']>>
  discardLetters: (letters: Parameters<WindowStore['discardLetters']>[0]) => Promise<number>
}

type Bookkeeping = Omit<Destination, 'location' | 'windows' | 'close'>

export const createBookkeeping = (db: Kysely<Schema>, writer: Writer): Bookkeeping => ({
  rows: createRows(db, writer),
  ledger: createLedger(db),
  findings: createFindings(db, writer),
  behaviours: {
    of: store => readBehaviours(db, store),
    keep: (store, facts) => keepBehaviours(db, store, facts),
  },
  stores: createStores(db, writer),
  runs: createRuns(db, writer),
  schedules: createSchedules(db, writer),
  checks: createChecks(db, writer),
  deadLetters: createDeadLetters(db, writer),
})

const createRows = (db: Kysely<Schema>, writer: Writer): Rows => ({
  expected: (store, stream, window) => rowsToShow(db, store, stream, window),
  newestLiving: (store, stream, except) => newestLivingRow(db, store, stream, except),
  parentValues: (store, parent) => valuesFor(db, store, parent),
  count: (store, stream) => countRows(db, store, stream),
  newestModified: (store, stream) => newestIn(db, store, stream),
  draw: (store, stream, { count, random }) => drawRows(db, stream, store, count, random),
  numbered: (store, stream, numbers) => rowsNumbered(db, stream, store, numbers),
  compare: (store, stream, { body, listPath, readAtMs, fields }) => {
    const same = fields === 'all' ? sameContent : sameWhereBoth
    return compareRows(db, stream, store, { body, listPath }, readAtMs, same)
  },
  repair: (store, stream, different) => writer.executeAll(mendRows(stream, store, different)),
})

const createLedger = (db: Kysely<Schema>): Destination['ledger'] => ({
  windows: (store, stream) => readLedger(db, store, stream),
  provenSpan: (store, stream) => provenSpan(db, store, stream),
  lateness: (store, stream) =>
    db
      .selectFrom('lateness')
      .select(['day', 'max_ms as maxMs'])
      .where('store_id', '=', store)
      .where('stream', '=', stream)
      .execute(),
  async lastReadAt(store, stream) {
    const last = await db
      .selectFrom('readings')
      .select('read_at')
      .where('store_id', '=', store)
      .where('stream', '=', stream)
      .orderBy('batch', 'desc')
      .limit(1)
      .executeTakeFirst()
    return last?.read_at
  },
})

const createFindings = (db: Kysely<Schema>, writer: Writer): Destination['findings'] => {
  const found = db
    .selectFrom('findings')
    .select(['id', 'store_id as store', 'stream', 'code', 'detail', 'times'])
    .select(['first_seen_at as firstSeenAt', 'last_seen_at as lastSeenAt'])
  return {
    note: async finding => void (await writer.execute(CompiledQuery.raw(NOTE_FINDING, [finding]))),
    of(store, stream) {
      const all = found.where('store_id', '=', store).orderBy('stream').orderBy('code')
      return (stream === undefined ? all : all.where('stream', '=', stream)).execute()
    },
    byId: async ids =>
      ids.length === 0 ? [] : found.where('id', 'in', ids).orderBy('code').execute(),
  }
}

const asStore = (row: Schema['stores']): KnownStore => ({
  id: row.store_id,
  companyId: row.company_id ?? undefined,
  shopId: row.shop_id ?? undefined,
  name: row.name ?? undefined,
  timeZone: row.time_zone,
  checkedAt: row.checked_at,
})

const createStores = (db: Kysely<Schema>, writer: Writer): Destination['stores'] => ({
  async find(id) {
    const stores = db.selectFrom('stores').selectAll().where('store_id', '=', id)
    const row = await stores.executeTakeFirst()
    return row === undefined ? undefined : asStore(row)
  },
  all: async () => (await db.selectFrom('stores').selectAll().execute()).map(asStore),
  async keep({ id, companyId, shopId, name, timeZone, checkedAt }) {
    const row = {
      company_id: companyId ?? null,
      shop_id: shopId ?? null,
      name: name ?? null,
      time_zone: timeZone,
      checked_at: checkedAt,
    }
    const statement = db
      .insertInto('stores')
      .values({ store_id: id, ...row })
      .onConflict(conflict => conflict.column('store_id').doUpdateSet(row))
    await writer.execute(statement.compile())
  },
})

const asRun = (row: Schema['runs']): KnownRun => ({
  kind: row.kind,
  store: row.store_id,
  day: row.day,
  dueAt: row.due_at,
  deadlineAt: row.deadline_at ?? undefined,
  startedAt: row.started_at,
  finishedAt: row.finished_at ?? undefined,
  outcome: row.outcome,
  attempts: row.attempts,
  detail: row.detail,
})

const createRuns = (db: Kysely<Schema>, writer: Writer): Destination['runs'] => ({
  async begin({ kind, store, day, dueAt, deadlineAt, startedAt }) {
    const begun = {
      started_at: startedAt,
      finished_at: null,
      outcome: 'running' as const,
      detail: '',
    }
    const key = { kind, store_id: store, day }
    const due = { due_at: dueAt, deadline_at: deadlineAt ?? null }
    const statement = db
      .insertInto('runs')
      .values({ ...key, ...due, attempts: 1, ...begun })
      .onConflict(conflict =>
        conflict
          .columns(['kind', 'store_id', 'day'])
          .doUpdateSet(({ eb }) => ({ ...begun, attempts: eb('runs.attempts', '+', 1) }))
          .where('runs.outcome', '<>', 'done'),
      )
    await writer.execute(statement.compile())
  },
  async note({ kind, store, day }, { detail, outcome, finishedAt }) {
    const ended = outcome === undefined ? {} : { outcome, finished_at: finishedAt ?? null }
    const statement = db
      .updateTable('runs')
      .set({ detail, ...ended })
      .where('kind', '=', kind)
      .where('store_id', '=', store)
      .where('day', '=', day)
      .where('outcome', '<>', 'done')
    await writer.execute(statement.compile())
  },
  async newest(kind, store, limit) {
    const runs = db
      .selectFrom('runs')
      .selectAll()
      .where('kind', '=', kind)
      .where('store_id', '=', store)
      .orderBy('day', 'desc')
      .limit(limit)
    return (await runs.execute()).map(asRun)
  },
})

const createSchedules = (db: Kysely<Schema>, writer: Writer): Destination['schedules'] => ({
  async all() {
    const rows = await db.selectFrom('schedules').selectAll().orderBy('schedule_id').execute()
    return rows.map(row => ({
      id: row.schedule_id,
      kind: row.kind,
      store: row.store_id,
      facts: JSON.parse(row.settings) as unknown,
      since: row.since,
      pausedAt: row.paused_at ?? undefined,
      note: row.note ?? undefined,
    }))
  },
  async keep({ id, kind, store, facts, since, pausedAt, note }) {
    const row = {
      kind,
      store_id: store,
      settings: JSON.stringify(facts),
      since,
      paused_at: pausedAt ?? null,
      note: note ?? null,
    }
    const statement = db
      .insertInto('schedules')
      .values({ schedule_id: id, ...row })
      .onConflict(conflict => conflict.column('schedule_id').doUpdateSet(row))
    await writer.execute(statement.compile())
  },
  async pause(id, pausedAt, note) {
    const statement = db
      .updateTable('schedules')
      .set({ paused_at: pausedAt ?? null, note: note ?? null })
      .where('schedule_id', '=', id)
    await writer.execute(statement.compile())
  },
  async forget(id) {
    await writer.execute(db.deleteFrom('schedules').where('schedule_id', '=', id).compile())
  },
})

const createChecks = (db: Kysely<Schema>, writer: Writer): Destination['checks'] => ({
  async add(checks) {
    const rows = checks.map(check => ({
      store_id: check.store,
      stream: check.stream,
      checked_at: check.checkedAt,
      seed: check.seed,
      drawn_by: check.drawnBy,
      drawn: check.drawn,
      compared: check.compared,
      mismatched: check.mismatched,
      changed: check.changed,
      healed: check.healed,
      rate_bound: check.rateBound,
      bound_of: check.boundOf,
    }))
    if (rows.length > 0) await writer.execute(db.insertInto('checks').values(rows).compile())
  },
})

const createDeadLetters = (db: Kysely<Schema>, writer: Writer): Destination['deadLetters'] => ({
  async of(stores, streams) {
    const rows = await db
      .selectFrom('dead_letters')
      .selectAll()
      .where('store_id', 'in', stores)
      .where('stream', 'in', streams)
      .orderBy('store_id')
      .orderBy('stream')
      .orderBy('record_key')
      .execute()
    return rows.map(row => ({
      store: row.store_id,
      stream: row.stream,
      key: row.record_key,
      reason: row.reason,
      raw: row.raw,
      window: { start: row.window_start, end: row.window_end },
      firstSeenAt: row.first_seen_at,
    }))
  },
  count: (store, stream, days) => countStandingLetters(db, store, stream, days),
  async replay(letters) {
    const { settled, refused } = await writer.replay(letters)
    return { resolved: settled, refused }
  },
  discard: letters => writer.discardLetters(letters),
})
