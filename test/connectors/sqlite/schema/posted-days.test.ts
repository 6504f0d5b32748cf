import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { POSTED_DAYS } from '../../../../connectors/sqlite/schema/posted-days.ts'

/** The tables that the step reads, as earlier databases have them. */
const BEFORE = `
  CREATE TABLE readings (batch INTEGER PRIMARY KEY, read_at TEXT NOT NULL);
  CREATE TABLE booked_days (store_id TEXT, day TEXT, manifest TEXT, batch INTEGER);
  CREATE TABLE journal_entries (store_id TEXT, day TEXT, posted_at TEXT);
  INSERT INTO readings VALUES (1, '2026-03-09T08:00:00.000Z'), (2, '2026-03-09T09:30:00.000Z'),
    (3, '2026-03-10T08:00:00.000Z');`

test('days that were posted before hold what was read an hour before, or what a night looked at', () => {
  const database = new Database(':memory:')
  database.exec(BEFORE)
  database.exec(`
    INSERT INTO journal_entries VALUES
      ('downtown', '2026-03-07', '2026-03-01T00:00:00.000Z'),
      ('downtown', '2026-03-08', '2026-03-08T00:00:00.000Z'),
      ('downtown', '2026-03-08', '2026-03-09T10:00:00.000Z'),
      ('harbor', '2026-03-08', '2026-03-09T10:00:00.000Z');
    INSERT INTO booked_days VALUES ('harbor', '2026-03-08', 'hash', 3);`)
  for (const statement of POSTED_DAYS) database.exec(statement)
  expect(
    database.prepare('SELECT store_id, day, batch FROM posted_days ORDER BY 1, 2').raw().all(),
  ).toEqual([
    ['downtown', '2026-03-07', 0],
    ['downtown', '2026-03-08', 1],
    ['harbor', '2026-03-08', 3],
  ])
  database.close()
})
