import type { Kysely, Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Delivery, KeptNotice, KnownDelivery, Notices } from '../destination/notices.ts'
import type { Statements } from './connection.ts'
import type { Schema } from './schema.ts'

/** The tables `notices` and `deliveries`. */
export const createNotices = (db: Kysely<Schema>, writer: Statements): Notices => ({
  async open() {
    const rows = await db.selectFrom('notices').selectAll().where('closed_at', 'is', null).execute()
    return rows.map(asNotice)
  },
  async openings() {
    const rows = await db
      .selectFrom('notices')
      .select(({ fn }) => ['key', fn.countAll<number>().as('times')])
      .groupBy('key')
      .execute()
    return new Map(rows.map(({ key, times }) => [key, times]))
  },
  async record(notices, deliveries) {
    if (notices.length + deliveries.length === 0) return
    await writer.executeAll([
      ...notices.map(notice => keepNotice(db, notice)),
      ...deliveries.map(delivery => keepDelivery(db, delivery)),
    ])
  },
  waiting: async () =>
    (await selectDeliveries(db).where('outcome', '=', 'waiting').orderBy('at').execute()).map(
      asDelivery,
    ),
  async delivery(id) {
    const row = await selectDeliveries(db).where('id', '=', id).executeTakeFirst()
    return row === undefined ? undefined : asDelivery(row)
  },
  async waitingBefore({ id, channel, at }) {
    const notice = id.slice(0, id.indexOf('/') + 1)
    const rows = await selectDeliveries(db)
      .where('channel', '=', channel)
      .where(({ fn, val }) => fn<number>('instr', ['id', val(notice)]), '=', 1)
      .where('outcome', '=', 'waiting')
      .where('at', '<', at)
      .orderBy('at')
      .execute()
    return rows.map(asDelivery)
  },
  deliveries: async limit =>
    (await selectDeliveries(db).orderBy('at', 'desc').orderBy('id').limit(limit).execute()).map(
      asDelivery,
    ),
  async noteAttempt(id, { at, outcome, detail }) {
    const statement = db
      .updateTable('deliveries')
      .set(({ eb }) => ({ attempts: eb('attempts', '+', 1), tried_at: at, outcome, detail }))
      .where('id', '=', id)
      .where('outcome', '=', 'waiting')
    await writer.execute(statement.compile())
  },
  async failing() {
    const { rows } = await sql<{ channel: string; since: string; detail: string | null }>`
      SELECT channel, min(at) AS since,
        (SELECT l.detail FROM deliveries AS l WHERE l.channel = d.channel AND l.attempts > 0
         ORDER BY l.tried_at DESC LIMIT 1) AS detail
      FROM deliveries AS d
      WHERE outcome <> 'taken' AND attempts > 0 AND coalesce(tried_at, at) > coalesce(
        (SELECT max(t.tried_at) FROM deliveries AS t
         WHERE t.channel = d.channel AND t.outcome = 'taken'), '')
      GROUP BY channel ORDER BY channel`.execute(db)
    return rows.map(({ detail, ...row }) => ({ ...row, detail: detail ?? '' }))
  },
})

const selectDeliveries = (db: Kysely<Schema>) => db.selectFrom('deliveries').selectAll()

function keepNotice(db: Kysely<Schema>, notice: KeptNotice) {
  const { id, key, number, kind, severity, things, openedAt, toldAt, closedAt = null } = notice
  const row = {
    key,
    number,
    kind,
    severity,
    things: JSON.stringify(things),
    opened_at: openedAt,
    told_at: toldAt,
    closed_at: closedAt,
  }
  return db
    .insertInto('notices')
    .values({ id, ...row })
    .onConflict(conflict =>
      conflict.column('id').doUpdateSet(row).where('notices.number', '<=', number),
    )
    .compile()
}

const keepDelivery = (db: Kysely<Schema>, delivery: Delivery) =>
  db
    .insertInto('deliveries')
    .values({ ...delivery, outcome: 'waiting', attempts: 0, tried_at: null, detail: null })
    .onConflict(conflict => conflict.column('id').doNothing())
    .compile()

const asNotice = (row: Selectable<Schema['notices']>): KeptNotice => ({
  id: row.id,
  key: row.key,
  number: row.number,
  kind: row.kind,
  severity: row.severity,
  things: JSON.parse(row.things) as unknown[],
  openedAt: row.opened_at,
  toldAt: row.told_at,
  closedAt: row.closed_at ?? undefined,
})

const asDelivery = ({
  tried_at: triedAt,
  detail,
  ...row
}: Selectable<Schema['deliveries']>): KnownDelivery => ({
  ...row,
  triedAt: triedAt ?? undefined,
  detail: detail ?? undefined,
})
