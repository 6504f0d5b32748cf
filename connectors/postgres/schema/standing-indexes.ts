import { TEXT } from './bookkeeping.ts'

/**
 * How everything stands, without a look at each window's evidence or each operation's story. Only
 * functions that say so may make a column of another.
 */
export const STANDING_INDEXES = [
  `CREATE FUNCTION instant_ms(iso text) RETURNS bigint LANGUAGE sql IMMUTABLE AS
   'SELECT (extract(epoch FROM iso::timestamptz) * 1000)::bigint'`,
  `CREATE FUNCTION read_at_of(evidence text) RETURNS text LANGUAGE sql IMMUTABLE AS
   $$ SELECT evidence::json ->> 'readAt' $$`,
  `ALTER TABLE windows
   ADD start_ms bigint GENERATED ALWAYS AS (instant_ms(window_start)) STORED,
   ADD end_ms bigint GENERATED ALWAYS AS (instant_ms(window_end)) STORED,
   ADD read_at ${TEXT} GENERATED ALWAYS AS (read_at_of(evidence)) STORED`,
  `CREATE INDEX windows_standing
   ON windows (store_id, status, stream, start_ms, end_ms, read_at)`,
  'CREATE INDEX readings_of_stream ON readings (store_id, stream, batch)',
  "CREATE INDEX readings_failed ON readings (store_id, batch) WHERE status = 'unproven'",
  'CREATE INDEX outbound_operations_state ON outbound_operations (state, plan)',
  'CREATE INDEX outbound_events_step ON outbound_events (plan, op, event, seq)',
]
