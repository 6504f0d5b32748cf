import type { NewFinding } from '../destination/windows.ts'
import type { Sql } from './connection.ts'

/** One finding, by its id: the first time, and each time again. */
export const NOTE_FINDING = `
  INSERT INTO findings
    (id, store_id, stream, code, detail, times, first_seen_at, last_seen_at)
  VALUES (@id, @store, @stream, @code, @detail, 1, @readAt, @readAt)
  ON CONFLICT (id) DO UPDATE
    SET times = findings.times + 1, detail = excluded.detail, last_seen_at = excluded.last_seen_at`

export const findingId = (
  { store, stream }: { store: string; stream: string },
  { code, path }: Pick<NewFinding, 'code' | 'path'>,
): string => [store, stream, code, ...(path === undefined ? [] : [path])].join('/')

/** Writes the table `findings`; answers the ids of what was noted. */
export async function noteFindings(
  sql: Sql,
  about: { store: string; stream: string; readAt: string },
  findings: readonly NewFinding[],
): Promise<string[]> {
  const ids: string[] = []
  for (const finding of findings) {
    const id = findingId(about, finding)
    await sql.run(NOTE_FINDING, { id, ...about, code: finding.code, detail: finding.detail })
    ids.push(id)
  }
  return ids
}
