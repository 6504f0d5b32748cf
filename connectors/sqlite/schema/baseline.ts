/**
 * The tables as the first version made whose databases are still opened; later steps change them
 * (`migrations.ts`). `schema.ts` describes what they hold.
 */
export const BASELINE = [
  // The ledger, and what was read.
  `CREATE TABLE windows (
    store_id TEXT NOT NULL,
    stream TEXT NOT NULL,
    window_start TEXT NOT NULL,
    window_end TEXT NOT NULL,
    status TEXT NOT NULL,
    evidence TEXT NOT NULL,
    CONSTRAINT windows_key PRIMARY KEY (store_id, stream, window_start, window_end)
  )`,
  `CREATE TABLE dead_letters (
    store_id TEXT NOT NULL,
    stream TEXT NOT NULL,
    record_key TEXT NOT NULL,
    reason TEXT NOT NULL,
    raw TEXT NOT NULL,
    window_start TEXT NOT NULL,
    window_end TEXT NOT NULL,
    first_seen_at TEXT NOT NULL,
    CONSTRAINT dead_letters_key PRIMARY KEY (store_id, stream, record_key)
  )`,
  `CREATE TABLE findings (
    id TEXT NOT NULL PRIMARY KEY,
    store_id TEXT NOT NULL,
    stream TEXT NOT NULL,
    code TEXT NOT NULL,
    detail TEXT NOT NULL,
    times INTEGER NOT NULL,
    first_seen_at TEXT NOT NULL,
    last_seen_at TEXT NOT NULL
  )`,
  `CREATE TABLE stores (
    store_id TEXT NOT NULL PRIMARY KEY,
    company_id TEXT,
    shop_id TEXT,
    name TEXT,
    time_zone TEXT NOT NULL,
    checked_at TEXT NOT NULL,
    base_url TEXT
  )`,
  `CREATE TABLE readings (
    batch INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    store_id TEXT NOT NULL,
    stream TEXT NOT NULL,
    window_start TEXT NOT NULL,
    window_end TEXT NOT NULL,
    status TEXT NOT NULL,
    counts TEXT NOT NULL,
    read_at TEXT NOT NULL
  )`,
  `CREATE TABLE shapes (
    store_id TEXT NOT NULL,
    stream TEXT NOT NULL,
    learned_by TEXT NOT NULL,
    shape TEXT NOT NULL,
    CONSTRAINT shapes_key PRIMARY KEY (store_id, stream)
  )`,
  `CREATE TABLE versions (
    stream TEXT NOT NULL,
    store_id TEXT NOT NULL,
    id TEXT NOT NULL,
    from_batch INTEGER NOT NULL,
    to_batch INTEGER NOT NULL,
    modified INTEGER,
    gone_at INTEGER,
    raw TEXT NOT NULL
  )`,
  'CREATE INDEX versions_key ON versions (stream, store_id, id, to_batch)',
  `CREATE TABLE discarded_letters (
    store_id TEXT NOT NULL,
    stream TEXT NOT NULL,
    record_key TEXT NOT NULL,
    reason TEXT NOT NULL,
    raw TEXT NOT NULL,
    window_start TEXT NOT NULL,
    window_end TEXT NOT NULL,
    first_seen_at TEXT NOT NULL,
    discarded_at TEXT NOT NULL,
    discarded_by TEXT NOT NULL,
    discard_reason TEXT NOT NULL
  )`,
  `CREATE TABLE lateness (
    store_id TEXT NOT NULL,
    stream TEXT NOT NULL,
    day TEXT NOT NULL,
    max_ms INTEGER NOT NULL,
    records INTEGER NOT NULL,
    CONSTRAINT lateness_key PRIMARY KEY (store_id, stream, day)
  )`,
  `CREATE TABLE behaviours (
    store_id TEXT NOT NULL,
    stream TEXT NOT NULL,
    fact TEXT NOT NULL,
    value TEXT NOT NULL,
    evidence TEXT NOT NULL,
    seen_at TEXT NOT NULL,
    CONSTRAINT behaviours_key PRIMARY KEY (store_id, stream, fact)
  )`,
  `CREATE TABLE missing_records (
    store_id TEXT NOT NULL,
    stream TEXT NOT NULL,
    id TEXT NOT NULL,
    asked_at TEXT NOT NULL,
    CONSTRAINT missing_records_key PRIMARY KEY (store_id, stream, id)
  )`,
  // When what runs, and how it went.
  `CREATE TABLE schedules (
    schedule_id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    store_id TEXT NOT NULL,
    settings TEXT NOT NULL,
    since TEXT NOT NULL,
    paused_at TEXT,
    note TEXT
  )`,
  `CREATE TABLE runs (
    kind TEXT NOT NULL,
    store_id TEXT NOT NULL,
    day TEXT NOT NULL,
    due_at TEXT NOT NULL,
    deadline_at TEXT,
    started_at TEXT NOT NULL,
    finished_at TEXT,
    outcome TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    detail TEXT NOT NULL,
    CONSTRAINT runs_key PRIMARY KEY (kind, store_id, day)
  )`,
  `CREATE TABLE checks (
    store_id TEXT NOT NULL,
    stream TEXT NOT NULL,
    checked_at TEXT NOT NULL,
    seed INTEGER NOT NULL,
    drawn INTEGER NOT NULL,
    compared INTEGER NOT NULL,
    mismatched INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    healed INTEGER NOT NULL,
    rate_bound REAL NOT NULL,
    drawn_by TEXT NOT NULL DEFAULT 'window',
    bound_of TEXT NOT NULL DEFAULT 'rows'
  )`,
  `CREATE TABLE booked_days (
    store_id TEXT NOT NULL,
    day TEXT NOT NULL,
    manifest TEXT NOT NULL,
    batch INTEGER NOT NULL,
    CONSTRAINT booked_days_key PRIMARY KEY (store_id, day)
  )`,
  // What is written to the API: `connectors/destination/outbound.ts`, `push.ts`.
  `CREATE TABLE outbound_plans (
    plan TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    hash TEXT NOT NULL,
    path TEXT NOT NULL,
    created_at TEXT NOT NULL,
    facts TEXT NOT NULL
  ) STRICT`,
  `CREATE TABLE outbound_operations (
    plan TEXT NOT NULL,
    op TEXT NOT NULL,
    position INTEGER NOT NULL,
    token TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    changed_at TEXT NOT NULL,
    facts TEXT NOT NULL,
    PRIMARY KEY (plan, op)
  ) STRICT`,
  `CREATE TABLE outbound_approvals (
    plan TEXT NOT NULL,
    position INTEGER NOT NULL,
    approver TEXT NOT NULL,
    role TEXT NOT NULL,
    at TEXT NOT NULL,
    hash TEXT NOT NULL,
    facts TEXT NOT NULL,
    PRIMARY KEY (plan, position)
  ) STRICT`,
  `CREATE TABLE outbound_events (
    seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    plan TEXT NOT NULL,
    op TEXT,
    at TEXT NOT NULL,
    event TEXT NOT NULL,
    by TEXT,
    detail TEXT NOT NULL
  ) STRICT`,
  `CREATE INDEX outbound_events_plan ON outbound_events (plan, seq)`,
  `CREATE TABLE outbound_receipts (
    plan TEXT NOT NULL,
    seq INTEGER NOT NULL,
    op TEXT NOT NULL,
    path TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    previous_sha256 TEXT,
    body TEXT NOT NULL,
    PRIMARY KEY (plan, seq),
    UNIQUE (plan, op)
  ) STRICT`,
  `CREATE TABLE push_assets (
    store_id TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    asset TEXT NOT NULL,
    CONSTRAINT push_assets_key PRIMARY KEY (store_id, sha256)
  )`,
  `CREATE TABLE push_files (
    schedule TEXT NOT NULL,
    path TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    plan TEXT,
    at TEXT NOT NULL,
    CONSTRAINT push_files_key PRIMARY KEY (schedule, path)
  )`,
  // What was given out of the books: `connectors/destination/given-out.ts`.
  `CREATE TABLE revisions (
    store_id TEXT NOT NULL, from_day TEXT NOT NULL, to_day TEXT NOT NULL, stream TEXT NOT NULL,
    revision INTEGER NOT NULL, state TEXT NOT NULL,
    PRIMARY KEY (store_id, from_day, to_day, stream, revision)
  ) STRICT`,
  `CREATE TABLE journal_entries (
    store_id TEXT NOT NULL, day TEXT NOT NULL, number TEXT NOT NULL, place INTEGER NOT NULL,
    revision INTEGER NOT NULL, entry TEXT NOT NULL, settings TEXT, posted_at TEXT NOT NULL,
    reissued TEXT, reason TEXT,
    PRIMARY KEY (store_id, day, number)
  ) STRICT`,
  `CREATE TABLE journal_files (
    store_id TEXT NOT NULL, day TEXT NOT NULL, format TEXT NOT NULL, revision INTEGER NOT NULL,
    PRIMARY KEY (store_id, day, format, revision)
  ) STRICT`,
  `CREATE TABLE given_files (
    path TEXT PRIMARY KEY, store_id TEXT NOT NULL, from_day TEXT NOT NULL, to_day TEXT NOT NULL,
    dataset TEXT NOT NULL, format TEXT NOT NULL, revision INTEGER NOT NULL,
    addition INTEGER NOT NULL, rows INTEGER NOT NULL, sha256 TEXT NOT NULL
  ) STRICT`,
  `CREATE TABLE period_events (
    id INTEGER PRIMARY KEY, store_id TEXT NOT NULL, month TEXT NOT NULL, event TEXT NOT NULL,
    by_name TEXT NOT NULL, reason TEXT, at TEXT NOT NULL
  ) STRICT`,
  `CREATE TABLE accepted_differences (
    store_id TEXT NOT NULL, day TEXT NOT NULL, transaction_id TEXT NOT NULL, detail TEXT NOT NULL
  ) STRICT`,
  'CREATE INDEX accepted_differences_day ON accepted_differences (store_id, day)',
  // Who changes or removes an entry must remove a trigger first; the chain shows it even then.
  `CREATE TABLE audit_log (
    seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    who TEXT NOT NULL,
    machine TEXT NOT NULL,
    act TEXT NOT NULL,
    detail TEXT NOT NULL,
    previous TEXT NOT NULL,
    hash TEXT NOT NULL
  ) STRICT`,
  `CREATE TRIGGER audit_log_stays_as_it_is BEFORE UPDATE ON audit_log
    BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END`,
  `CREATE TRIGGER audit_log_stays BEFORE DELETE ON audit_log
    BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END`,
  // People who asked to be forgotten.
  `CREATE TABLE forgotten_members (
    store_id TEXT NOT NULL,
    hash TEXT NOT NULL,
    salt TEXT NOT NULL,
    length INTEGER NOT NULL,
    at TEXT NOT NULL,
    certificate TEXT NOT NULL,
    PRIMARY KEY (store_id, hash)
  ) STRICT`,
]
