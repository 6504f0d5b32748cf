import { TEXT } from './bookkeeping.ts'

/**
 * Which server a transaction writes on, as far as that says what may have been lost: another one
 * when a standby took over or a moment was gone back to (PostgreSQL begins a new timeline), and
 * when a dump was restored (tables have other numbers). A server that does not tell its timeline
 * keeps one storage for all its machines (Aurora).
 */
export const SERVER = 'server_now()'

/** The server that plans were sent from last, or on which the tables were made. */
export const SERVER_PARTS = [
  `CREATE TABLE last_server (
     one bigint PRIMARY KEY CHECK (one = 1), server ${TEXT} NOT NULL)`,
  `CREATE FUNCTION server_now() RETURNS text LANGUAGE plpgsql AS
   $$
   DECLARE made CONSTANT text := 'last_server'::regclass::oid;
   BEGIN
     RETURN left(pg_walfile_name(pg_current_wal_lsn()), 8) || '-' || made;
   EXCEPTION WHEN OTHERS THEN RETURN made;
   END $$`,
  // From the first on: a standby may lack the run that would have written it down.
  `INSERT INTO last_server VALUES (1, ${SERVER})`,
]
