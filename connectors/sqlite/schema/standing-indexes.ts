const instantSql = (iso: string): string =>
  `CAST(round(unixepoch(${iso}, 'subsec') * 1000) AS INTEGER)`

const WINDOW = 'store_id, stream, window_start, window_end, status, evidence'

/**
 * How everything stands, without a look at each window's evidence or each operation's story: what
 * the ledger proves is added up out of an index alone, for which its columns have to be stored, and
 * those cannot be added to a table.
 */
export const STANDING_INDEXES = [
  `CREATE TABLE windows_with_times (
    store_id TEXT NOT NULL,
    stream TEXT NOT NULL,
    window_start TEXT NOT NULL,
    window_end TEXT NOT NULL,
    status TEXT NOT NULL,
    evidence TEXT NOT NULL,
    start_ms INTEGER GENERATED ALWAYS AS (${instantSql('window_start')}) STORED,
    end_ms INTEGER GENERATED ALWAYS AS (${instantSql('window_end')}) STORED,
    read_at TEXT GENERATED ALWAYS AS (
      CASE WHEN json_valid(evidence) THEN evidence ->> 'readAt' END) STORED,
    CONSTRAINT windows_key PRIMARY KEY (store_id, stream, window_start, window_end)
  )`,
  `INSERT INTO windows_with_times (${WINDOW}) SELECT ${WINDOW} FROM windows`,
  'DROP TABLE windows',
  'ALTER TABLE windows_with_times RENAME TO windows',
  `CREATE INDEX windows_standing
   ON windows (store_id, status, stream, start_ms, end_ms, read_at)`,
  'CREATE INDEX readings_of_stream ON readings (store_id, stream, batch)',
  "CREATE INDEX readings_failed ON readings (store_id, batch) WHERE status = 'unproven'",
  'CREATE INDEX outbound_operations_state ON outbound_operations (state, plan)',
  'CREATE INDEX outbound_events_step ON outbound_events (plan, op, event, seq)',
]
