/**
 * Which readings the journal of a day holds. Days that were posted before this table was there hold
 * what was read an hour before their last posting, or what a night has looked at since.
 */
export const POSTED_DAYS = [
  `CREATE TABLE posted_days (
    store_id TEXT NOT NULL,
    day TEXT NOT NULL,
    batch INTEGER NOT NULL,
    time_zone TEXT,
    day_starts_at TEXT,
    CONSTRAINT posted_days_key PRIMARY KEY (store_id, day)
  ) STRICT`,
  `INSERT INTO posted_days (store_id, day, batch)
   SELECT e.store_id, e.day, max(
     coalesce((SELECT max(r.batch) FROM readings r
       WHERE r.read_at < strftime('%Y-%m-%dT%H:%M:%fZ', max(e.posted_at), '-1 hour')), 0),
     coalesce((SELECT b.batch FROM booked_days b
       WHERE b.store_id = e.store_id AND b.day = e.day), 0))
   FROM journal_entries e GROUP BY e.store_id, e.day`,
]
