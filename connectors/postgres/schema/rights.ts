/** Who may do what: statements that give rights again and again, to roles that may not be there. */
import { isPlaceOfMember, PERSONAL_FIELDS } from '../../personal-fields.ts'
import { quoteName as quote } from '../../quote.ts'
import type { Columns, Stream } from '../../stream.ts'

/**
 * Nobody signs in as these: who does, is made a member of one. The owner of the tables is whoever
 * made them.
 */
export const WORKER = 'tillage_worker'
export const READER = 'tillage_reader'

/**
 * Of a server, whatever the schema: several programs that make them at once are no mistake. Who
 * waits for another that makes the same one hears of it from the index of names.
 */
export const makeRole = (role: string): string => `DO $$ BEGIN
    IF to_regrole('${role}') IS NULL THEN CREATE ROLE ${role} NOLOGIN; END IF;
  EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`

/** These statements where there is such a role. */
const whereThere = (role: string, statements: readonly string[]): string => `DO $$ BEGIN
    IF to_regrole('${role}') IS NOT NULL THEN ${statements.join('; ')}; END IF;
  END $$`

/**
 * What a worker may do: all but change tables that others made, and what the audit log holds. It
 * makes the tables of the books itself.
 */
export const workerRights = (schema: string): string[] => [
  `GRANT USAGE, CREATE ON SCHEMA ${quote(schema)} TO ${WORKER}`,
  `GRANT ${ROWS} ON ALL TABLES IN SCHEMA ${quote(schema)} TO ${WORKER}`,
  `ALTER DEFAULT PRIVILEGES IN SCHEMA ${quote(schema)} GRANT ${ROWS} ON TABLES TO ${WORKER}`,
  // The number of the last reading.
  `GRANT SELECT ON ALL SEQUENCES IN SCHEMA ${quote(schema)} TO ${WORKER}`,
  `ALTER DEFAULT PRIVILEGES IN SCHEMA ${quote(schema)} GRANT SELECT ON SEQUENCES TO ${WORKER}`,
  `REVOKE UPDATE, DELETE ON audit_log FROM ${WORKER}`,
  `REVOKE INSERT, UPDATE, DELETE ON tillage_steps, tillage_parts FROM ${WORKER}`,
]

const ROWS = 'SELECT, INSERT, UPDATE, DELETE'

export const readerRights = (schema: string): string[] => [
  `GRANT USAGE ON SCHEMA ${quote(schema)} TO ${READER}`,
]

/** What readers see of a stream: its views, without `raw` and without what says who somebody is. */
export function streamRights({ name, singular, columns, children }: Stream): string {
  const own = ['store_id', ...publicColumns(singular, columns), 'deleted_at', 'deleted_because']
  const key = ['store_id', ...publicColumns(singular, { id: columns['id']! })]
  const lineKey = ['store_id', ...(key.includes('id') ? [`${singular}_id`] : []), 'line_no']
  return whereThere(READER, [
    mayRead(name, own),
    mayRead(`${name}_seen`, [...key, 'first_seen_at', 'changed_at', 'batch']),
    mayRead(`${name}_versions`, [...key, ...VERSION]),
    ...Object.entries(children).map(([child, spec]) =>
      mayRead(child, [...lineKey, ...publicColumns(singular, spec.columns)]),
    ),
  ])
}

const mayRead = (view: string, columns: readonly string[]): string =>
  `GRANT SELECT (${columns.map(quote).join(', ')}) ON ${view} TO ${READER}`

const VERSION = ['from_batch', 'to_batch', 'seen_from', 'seen_to', 'modified', 'gone_at']

const publicColumns = (singular: string, columns: Columns): string[] =>
  Object.entries(columns).flatMap(([name, { path, privacy }]) =>
    privacy === 'person' || tellsWho(`${singular}.${path}`) ? [] : [name],
  )

/** Also the id of a member, in whatever list it stands. */
const tellsWho = (place: string): boolean =>
  isPlaceOfMember(place) ||
  place
    .split('.')
    .slice(1)
    .some(name => PERSONAL_FIELDS.has(name))

/** The books hold nobody: readers see their views whole, and workers change what others made. */
export const BOOK_RIGHTS = `DO $$ DECLARE book record; BEGIN
    FOR book IN SELECT relname, relkind FROM pg_class
      WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'v')
      AND relname ~ '^(rows_|stored_)?books_' AND pg_has_role(relowner, 'USAGE')
    LOOP
      IF book.relkind = 'v' AND book.relname ~ '^books_' AND to_regrole('${READER}') IS NOT NULL
      THEN EXECUTE format('GRANT SELECT ON %I TO ${READER}', book.relname); END IF;
      IF to_regrole('${WORKER}') IS NOT NULL
      THEN EXECUTE format('GRANT ${ROWS} ON %I TO ${WORKER}', book.relname); END IF;
    END LOOP;
  END $$`
