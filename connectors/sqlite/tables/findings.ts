import type Database from 'better-sqlite3'
import type { Kysely } from 'kysely'
import type { Findings } from '../../destination/findings.ts'
import type { NewFinding, WindowToCommit } from '../../destination/windows.ts'
import { findingId, NOTE_FINDING } from '../../sql/note-finding.ts'
import type { Schema } from '../schema/schema.ts'
import type { Writer } from '../writer/writer.ts'

/** Writes the table `findings`; answers the ids of what was noted. */
export type NoteFindings = (
  window: Pick<WindowToCommit, 'store' | 'stream' | 'readAt'>,
  findings: readonly NewFinding[],
) => string[]

export function createNoteFindings(database: Database.Database): NoteFindings {
  const note = database.prepare(NOTE_FINDING)
  return ({ store, stream, readAt }, findings) =>
    findings.map(finding => {
      const { code, detail } = finding
      const id = findingId({ store, stream }, finding)
      note.run({ id, store, stream, code, detail, readAt })
      return id
    })
}

/** The table `findings`, read and written outside of windows. */
export const createFindings = (db: Kysely<Schema>, writer: Writer): Findings => {
  const found = db
    .selectFrom('findings')
    .select(['id', 'store_id as store', 'stream', 'code', 'detail', 'times'])
    .select(['first_seen_at as firstSeenAt', 'last_seen_at as lastSeenAt'])
  return {
    note: async finding =>
      void (await writer.execute({ sql: NOTE_FINDING, parameters: [finding] })),
    of(store, stream) {
      const all = found.where('store_id', '=', store).orderBy('stream').orderBy('code')
      return (stream === undefined ? all : all.where('stream', '=', stream)).execute()
    },
    byId: async ids =>
      ids.length === 0 ? [] : found.where('id', 'in', ids).orderBy('code').execute(),
  }
}
