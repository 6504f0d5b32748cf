import type { Kysely } from 'kysely'
import type { Findings } from '../destination/findings.ts'
import type { NewFinding } from '../destination/windows.ts'
import type { Statements } from './connection.ts'
import type { Schema } from './schema.ts'
import { run } from './steps.ts'
import type { Steps } from './steps.ts'

/** The table `findings`, read and written outside of windows. */
export const createFindings = (db: Kysely<Schema>, writer: Statements): Findings => {
  const found = db
    .selectFrom('findings')
    .select(['id', 'store_id as store', 'stream', 'code', 'detail', 'times'])
    .select(['first_seen_at as firstSeenAt', 'last_seen_at as lastSeenAt'])
  return {
    async note({ id, store, stream, code, detail, readAt }) {
      const seen = { detail, last_seen_at: readAt }
      const statement = db
        .insertInto('findings')
        .values({ id, store_id: store, stream, code, times: 1, first_seen_at: readAt, ...seen })
        .onConflict(conflict =>
          conflict
            .column('id')
            .doUpdateSet(({ eb }) => ({ ...seen, times: eb('findings.times', '+', 1) })),
        )
      await writer.execute(statement.compile())
    },
    of(store, stream) {
      const all = found.where('store_id', '=', store).orderBy('stream').orderBy('code')
      return (stream === undefined ? all : all.where('stream', '=', stream)).execute()
    },
    byId: async ids =>
      ids.length === 0 ? [] : found.where('id', 'in', ids).orderBy('code').execute(),
  }
}

/** One finding, by its id: the first time, and each time again. */
const NOTE_FINDING = `
  INSERT INTO findings
    (id, store_id, stream, code, detail, times, first_seen_at, last_seen_at)
  VALUES (@id, @store, @stream, @code, @detail, 1, @readAt, @readAt)
  ON CONFLICT (id) DO UPDATE
    SET times = findings.times + 1, detail = excluded.detail, last_seen_at = excluded.last_seen_at`

const findingId = (
  { store, stream }: { store: string; stream: string },
  { code, path }: Pick<NewFinding, 'code' | 'path'>,
): string => [store, stream, code, ...(path === undefined ? [] : [path])].join('/')

interface About {
  store: string
  stream: string
  readAt: string
}

/** Writes the table `findings`; answers the ids of what was noted. */
export function* noteFindings(about: About, findings: readonly NewFinding[]): Steps<string[]> {
  for (const finding of findings) {
    const { code, detail } = finding
    yield* run(NOTE_FINDING, { ...about, id: findingId(about, finding), code, detail })
  }
  return findings.map(finding => findingId(about, finding))
}
