import type { Freshness, Hint, Hints, NewHint } from '../destination/hints.ts'
import type { Sql, SqlConnection } from './connection.ts'

/** The tables `hints` and `freshness`, in which no id is an empty text. */
export const hintsOn = (sql: SqlConnection): Hints => ({
  keep: (hints, nowMs) => sql.write(inside => keepAll(inside, hints, nowMs)),
  async waitingStores() {
    const found = await sql.all<{ store: string }>('SELECT DISTINCT store_id AS store FROM hints')
    return found.map(({ store }) => store)
  },
  async waiting(store, order) {
    return (await sql.all<HintRow>(WAITING, { store, ...order })).map(asHint)
  },
  foldMany: (store, most) => foldMany(sql, { store, most }),
  done: (hints, nowMs) =>
    sql.write(async inside => {
      await removeAll(inside, hints)
      for (const hint of hints) await inside.run(NOTE_READ, { ...parametersOf(hint), nowMs })
    }),
  forget: hints => sql.write(inside => removeAll(inside, hints)),
  freshness: () => freshnessIn(sql),
  close: () => sql.close(),
})

export async function freshnessIn(sql: Sql): Promise<Freshness[]> {
  return (await sql.all<FreshnessRow>(FRESHNESS)).map(asFreshness)
}

interface HintRow {
  store_id: string
  stream: string
  id: string
  first_ms: number
  last_ms: number
}

interface FreshnessRow {
  store_id: string
  stream: string
  last_hint_ms: number
  last_read_ms: number | null
  waiting_since_ms: number | null
}

const parametersOf = ({ store, stream, id = '' }: NewHint) => ({ store, stream, id })

/** So many in one statement: on a server each is a way there and back. */
const AT_ONCE = 100

async function keepAll(sql: Sql, hints: readonly NewHint[], nowMs: number): Promise<void> {
  const distinct = distinctOf(hints.map(parametersOf))
  for (let at = 0; at < distinct.length; at += AT_ONCE)
    await keepSome(sql, distinct.slice(at, at + AT_ONCE), nowMs)
  for (const { store, stream } of distinctOf(
    hints.map(hint => ({ ...parametersOf(hint), id: '' })),
  ))
    await sql.run(
      `INSERT INTO freshness (store_id, stream, last_hint_ms) VALUES (@store, @stream, @nowMs)
       ON CONFLICT (store_id, stream) DO UPDATE SET last_hint_ms = excluded.last_hint_ms`,
      { store, stream, nowMs },
    )
}

type Kept = Required<NewHint>

/** A statement may insert no row twice. */
const distinctOf = (hints: readonly Kept[]): Kept[] => [
  ...new Map(hints.map(hint => [JSON.stringify(hint), hint])).values(),
]

async function keepSome(sql: Sql, hints: readonly Kept[], nowMs: number): Promise<void> {
  const rows = hints.map((_, at) => `(@store${at}, @stream${at}, @id${at}, @nowMs, @nowMs)`)
  const given = hints.flatMap(({ store, stream, id }, at) => [
    [`store${at}`, store],
    [`stream${at}`, stream],
    [`id${at}`, id],
  ])
  await sql.run(
    `INSERT INTO hints (store_id, stream, id, first_ms, last_ms) VALUES ${rows.join(', ')}
     ON CONFLICT (store_id, stream, id) DO UPDATE SET last_ms =
       CASE WHEN excluded.last_ms > hints.last_ms THEN excluded.last_ms ELSE hints.last_ms + 1 END`,
    { ...(Object.fromEntries(given) as object), nowMs },
  )
}

const WAITING = `
  SELECT h.* FROM hints h JOIN freshness f ON f.store_id = h.store_id AND f.stream = h.stream
  WHERE h.store_id = @store AND (h.id <> '' OR coalesce(f.last_range_ms, 0) <= @rangesSinceMs)
  ORDER BY h.first_ms LIMIT @most`

const FRESHNESS = `
  SELECT f.*, (SELECT min(first_ms) FROM hints h
    WHERE h.store_id = f.store_id AND h.stream = f.stream) AS waiting_since_ms
  FROM freshness f ORDER BY store_id, stream`

const NOTE_READ = `
  UPDATE freshness SET last_read_ms = @nowMs,
    last_range_ms = CASE WHEN @id = '' THEN @nowMs ELSE last_range_ms END
  WHERE store_id = @store AND stream = @stream`

async function removeAll(sql: Sql, hints: readonly Hint[]): Promise<void> {
  for (const hint of hints)
    await sql.run(
      `DELETE FROM hints
       WHERE store_id = @store AND stream = @stream AND id = @id AND last_ms = @lastMs`,
      { ...parametersOf(hint), lastMs: hint.lastMs },
    )
}

interface Crowd {
  stream: string
  first: number
  last: number
}

const CROWDS = `
  SELECT stream, min(first_ms) AS first, max(last_ms) AS last FROM hints
  WHERE store_id = @store GROUP BY stream HAVING count(*) > @most`

/** Looked for first: it is asked after every event. */
async function foldMany(sql: SqlConnection, order: { store: string; most: number }): Promise<void> {
  if ((await sql.all<Crowd>(CROWDS, order)).length === 0) return
  await sql.write(async inside => {
    for (const { stream, first, last } of await inside.all<Crowd>(CROWDS, order)) {
      const { store } = order
      await inside.run('DELETE FROM hints WHERE store_id = @store AND stream = @stream', {
        store,
        stream,
      })
      await inside.run(
        `INSERT INTO hints (store_id, stream, id, first_ms, last_ms)
         VALUES (@store, @stream, '', @first, @last)`,
        { store, stream, first, last },
      )
    }
  })
}

const asHint = ({ store_id: store, stream, id, first_ms, last_ms }: HintRow): Hint => ({
  store,
  stream,
  ...(id === '' ? {} : { id }),
  firstMs: first_ms,
  lastMs: last_ms,
})

const asFreshness = (row: FreshnessRow): Freshness => ({
  store: row.store_id,
  stream: row.stream,
  lastHintMs: row.last_hint_ms,
  lastReadMs: row.last_read_ms ?? undefined,
  waitingSinceMs: row.waiting_since_ms ?? undefined,
})
