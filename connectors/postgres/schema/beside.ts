import { TEXT } from './bookkeeping.ts'

/**
 * What belongs to a database and not to its story: a database that is a file keeps it in files
 * beside it, and no copy takes it along. Here it is for all machines that work with the database.
 */
export const TABLES_BESIDE: ReadonlySet<string> = new Set([
  'kept_secrets',
  'hints',
  'freshness',
  'plan_documents',
  'leases',
  'key_paces',
  'last_server',
])

export const BESIDE = [
  `CREATE TABLE kept_secrets (name ${TEXT} PRIMARY KEY, value ${TEXT} NOT NULL)`,
  `CREATE TABLE hints (
     store_id ${TEXT} NOT NULL, stream ${TEXT} NOT NULL, id ${TEXT} NOT NULL,
     first_ms bigint NOT NULL, last_ms bigint NOT NULL, PRIMARY KEY (store_id, stream, id))`,
  `CREATE TABLE freshness (
     store_id ${TEXT} NOT NULL, stream ${TEXT} NOT NULL,
     last_hint_ms bigint NOT NULL, last_read_ms bigint, last_range_ms bigint,
     PRIMARY KEY (store_id, stream))`,
  `CREATE TABLE plan_documents (
     folder ${TEXT} NOT NULL, name ${TEXT} NOT NULL, bytes bytea NOT NULL,
     PRIMARY KEY (folder, name))`,
  `CREATE TABLE leases (
     name ${TEXT} PRIMARY KEY, holder ${TEXT} NOT NULL, expires_at timestamptz NOT NULL)`,
  // It is over within seconds: no commit waits for the disk, and a server that crashes forgets it.
  `CREATE UNLOGGED TABLE key_paces (
     key ${TEXT} PRIMARY KEY, version bigint NOT NULL, kept text NOT NULL)`,
]
