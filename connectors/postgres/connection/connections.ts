import { Pool, types } from 'pg'
import type { ClientBase, PoolClient } from 'pg'
import { DatabaseError } from '../../../errors.ts'
import { placeOf, schemaOf } from '../../server-address.ts'
import { asDatabaseError } from './postgres-errors.ts'

/** Connections to one schema, as many as are needed at a time; whatever fails is explained. */
export interface Connections {
  /** For messages: the address without credentials. */
  place: string
  connect(): Promise<PoolClient>
  end(): Promise<void>
}

export interface ConnectionOptions {
  /** So many at a time; the others wait for one. */
  most?: number
  /** A statement that writes fails. */
  readonly?: boolean
}

/** To the database and the schema that an address names (`server-address.ts`). */
export function openConnections(
  address: string,
  { most = 5, readonly = false }: ConnectionOptions = {},
): Connections {
  const place = placeOf(address)
  const pool = new Pool({
    connectionString: connectionString(address),
    max: most,
    connectionTimeoutMillis: CONNECTING_MS,
    application_name: applicationName(address),
    options: [...SETTINGS, `search_path=${schemaOf(address)}`, ...(readonly ? [READS_ONLY] : [])]
      .map(setting => `-c ${setting}`)
      .join(' '),
    types: { getTypeParser },
  })
  // A connection that nobody uses was lost: the next one who asks gets another.
  pool.on('error', () => {})
  pool.on('connect', client => explainQueries(place, client))
  const known = new WeakSet<PoolClient>()
  return {
    place,
    async connect() {
      try {
        const client = await pool.connect()
        if (known.has(client)) return client
        await prepare(client, address)
        known.add(client)
        return client
      } catch (cause) {
        throw asDatabaseError(place, cause)
      }
    },
    end: () => (pool.ended ? Promise.resolve() : pool.end()),
  }
}

/**
 * Once for a connection that is new. A pooler may have swallowed which schema was asked for: tables
 * would be made in another one. No schema at all is one that is not there yet.
 */
async function prepare(client: PoolClient, address: string): Promise<void> {
  const asked = await client
    .query<{ schema: string | null }>(`SELECT current_schema() AS schema, ${FAST_COMPRESSION}`)
    .catch((cause: unknown) => {
      client.release(true)
      throw cause
    })
  const schema = asked.rows[0]?.schema ?? null
  if (schema === null || schema === schemaOf(address)) return
  client.release(true)
  throw new DatabaseError(
    'DATABASE_REFUSED',
    `${placeOf(address)} answers from the schema ${schema}, not from ${schemaOf(address)}`,
    {
      remedy:
        'A pooler between may leave out what a connection is opened with. Let the role have it: ' +
        `ALTER ROLE "${decodeURIComponent(new URL(address).username)}" ` +
        `SET search_path = ${schemaOf(address)}. Docs: tillage help postgresql.`,
    },
  )
}

/** Where the server was built with it: its own way takes a quarter of what a sync costs it. */
const FAST_COMPRESSION = `(
  SELECT set_config(name, 'lz4', false) FROM pg_settings
  WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals))`

const CONNECTING_MS = 10_000

const SETTINGS = [
  // Statements are few and small, and compiling them takes longer than they do.
  'jit=off',
  'client_encoding=UTF8',
  'timezone=UTC',
]
const READS_ONLY = 'default_transaction_read_only=on'

/** How the server calls our connections: of one schema only its own can be told from others. */
export const applicationName = (address: string): string => `tillage ${schemaOf(address)}`

/** What is ours is taken out; `sslmode` means what it means to every other program. */
function connectionString(address: string): string {
  const url = new URL(address)
  for (const ours of ['schema', 'allowInsecure']) url.searchParams.delete(ours)
  if (url.searchParams.has('sslmode')) url.searchParams.set('uselibpqcompat', 'true')
  return url.href
}

/** A lost connection is said to whoever waits for an answer. */
function explainQueries(place: string, client: ClientBase): void {
  const query = client.query.bind(client) as (...given: unknown[]) => unknown
  const explained = (...given: unknown[]): unknown => {
    const answer = query(...given)
    return answer instanceof Promise
      ? answer.catch((cause: unknown) => {
          throw asDatabaseError(place, cause)
        })
      : answer
  }
  client.query = explained as typeof client.query
  client.on('error', () => {})
}

type TypeId = Parameters<typeof types.getTypeParser>[0]

/** Whole numbers are numbers where those hold them, and JSON is the text that it is. */
const PARSERS = new Map<TypeId, (text: string) => unknown>([
  [types.builtins.INT8, text => wholeNumber(text)],
  [types.builtins.JSON, text => text],
])

const wholeNumber = (text: string): number | string => {
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : text
}

const getTypeParser = (oid: TypeId): ((text: string) => unknown) =>
  PARSERS.get(oid) ?? types.getTypeParser(oid)
