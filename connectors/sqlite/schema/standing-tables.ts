/** What is remembered of how things went, so that it can be told without a server. */
export const STANDING_TABLES = [
  `CREATE TABLE attempts (
    store_id TEXT NOT NULL PRIMARY KEY,
    at TEXT NOT NULL,
    outcome TEXT NOT NULL,
    code TEXT,
    detail TEXT
  ) STRICT`,
  `CREATE TABLE drift_looks (
    store_id TEXT NOT NULL PRIMARY KEY,
    at TEXT NOT NULL,
    records INTEGER NOT NULL,
    drifted INTEGER NOT NULL
  ) STRICT`,
  `CREATE TABLE programs (
    machine TEXT NOT NULL,
    pid INTEGER NOT NULL,
    process_started TEXT NOT NULL,
    at TEXT NOT NULL,
    settings TEXT NOT NULL,
    problem TEXT,
    PRIMARY KEY (machine, pid)
  ) STRICT`,
]
