import { codeOf } from '../../../disk.ts'
import { DatabaseError } from '../../../errors.ts'
import type { ErrorCode } from '../../../errors.ts'
import { movedError } from '../../copy/marks.ts'

/** What one kind of failure of PostgreSQL, or of the way to it, means to a user. */
interface Meaning {
  /** SQLSTATEs, whole or as they begin, and codes of the operating system. */
  causes: readonly string[]
  code: ErrorCode
  what: string
  remedy: string
}

const AGAIN = 'the same command again: it goes on. Schedules do so by themselves.'

/** The first that fits counts. */
const MEANINGS: readonly Meaning[] = [
  {
    causes: ['53100', '53400', '54023'],
    code: 'DATABASE_FULL',
    what: 'has no room left; nothing of this step was kept',
    remedy: `Make room on the server's disk, or raise its limit, then run ${AGAIN}`,
  },
  {
    causes: ['40001', '40P01', '55P03', '57014', '53200'],
    code: 'DATABASE_BUSY',
    what: 'was too busy with others; nothing of this step was kept',
    remedy:
      `Run ${AGAIN} If it stays so, look who holds locks (pg_stat_activity), and at ` +
      'statement_timeout, lock_timeout and the memory of the server.',
  },
  {
    causes: ['28', '42501', '3D000', '3F000', '42P06', '0P000'],
    code: 'DATABASE_REFUSED',
    what: 'refuses this role, or does not have what is asked for',
    remedy:
      'Check user, password, name and schema in database: of tillage.yaml; the role must be ' +
      'allowed to use the schema and its tables: tillage doctor --database says what it lacks.',
  },
  {
    causes: ['2BP01'],
    code: 'DATABASE_REFUSED',
    what: 'has something of others that hangs on a view which is to be made anew',
    remedy:
      'Drop what is named here (DROP VIEW NAME), run the command again, and make it anew ' +
      'afterwards. Nothing was changed.',
  },
  {
    causes: ['08P01'],
    code: 'DATABASE_REFUSED',
    what: 'is behind a pooler that does not take the connection',
    remedy:
      'Name the server itself in database: of tillage.yaml, or prepare the pooler as ' +
      'tillage help postgresql says (pgbouncer: ignore_startup_parameters, and ALTER ROLE).',
  },
  {
    causes: ['08', '57P', '25P03', '25006', '53300', 'ECONN', 'EPIPE', 'ETIMEDOUT'],
    code: 'DATABASE_UNREACHABLE',
    what: 'cannot be reached, has no connection left, or takes no writes just now',
    remedy:
      'Check that the server runs, takes writes (a standby does not, nor a role or a server with ' +
      'default_transaction_read_only) and ends no session itself ' +
      `(idle_in_transaction_session_timeout), and host and port in tillage.yaml. Then run ${AGAIN}`,
  },
  {
    causes: ['ENOTFOUND', 'EAI_AGAIN', 'EHOST', 'ENETUNREACH'],
    code: 'DATABASE_UNREACHABLE',
    what: 'cannot be found',
    remedy: 'Check the host in database: of tillage.yaml, and the network.',
  },
  {
    causes: ['42P01', '42703', '42883', '42P10', 'XX', '58', '22P02', '22021', '42804'],
    code: 'DATABASE_BROKEN',
    what: 'is damaged, or its tables are not as they were made',
    remedy:
      'Look whether somebody has changed the tables by hand, and at the log of the server. What is ' +
      'damaged there comes back from its own backup (pg_dump, point in time).',
  },
]

/** What a trigger says in a database that was moved; none of PostgreSQL's own. */
export const MOVED_STATE = 'TLMVD'

/** What the driver says without a code. */
const LOST = /Connection terminated|timeout exceeded when trying to connect|not queryable/
/** What a standby says of a table that it does not have, as of anything else that it cannot do. */
const RECOVERING = /during recovery/
/** Texts of these hold names of roles and tables, and no values (INV-10). */
const TELLING = /^(08|25006|28|2BP01|3D|3F|53|57|42501)/

/** The error with its code and what to do; whatever is not PostgreSQL's as it came. */
export function asDatabaseError(place: string, cause: unknown): unknown {
  if (cause instanceof DatabaseError || !(cause instanceof Error)) return cause
  const code = stateOf(cause)
  if (code === MOVED_STATE) return movedError(place, cause.message)
  const meaning = MEANINGS.find(({ causes }) => causes.some(known => code.startsWith(known)))
  if (meaning === undefined) return cause
  const said = TELLING.test(code) ? `${code}: ${detailOf(cause) ?? cause.message}` : code
  return new DatabaseError(meaning.code, `${place} ${meaning.what} (${said})`, {
    cause,
    remedy: meaning.remedy,
  })
}

function stateOf(cause: Error): string {
  if (LOST.test(cause.message)) return '08006'
  return RECOVERING.test(cause.message) ? '25006' : codeOf(cause)
}

/** Which things hang on others is said in the detail alone. */
const detailOf = (cause: { code?: unknown; detail?: unknown } & Error): string | undefined =>
  cause.code === '2BP01' && typeof cause.detail === 'string' ? cause.detail : undefined
