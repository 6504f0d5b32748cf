import type Database from 'better-sqlite3'
import type { NewFinding, WindowToCommit } from '../../destination/windows.ts'
import { findingId, NOTE_FINDING } from '../../sql/note-finding.ts'

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
