import { Pool, types } from 'pg'
import type { ClientBase, PoolClient } from 'pg'
import { asDatabaseError } from './postgres-errors.ts'

/** Connections to one schema, as many as are needed at a time; whatever fails is explained. */
export interface Connections {
  /** For messages: the address without credentials. */
  place: string
  connect(): Promise<PoolClient>
  end(): Promise<void>
}

/** `postgres://user:password@host:port/database?schema=name`; what else stands there is pg's. */
export function openConnections(address: string, most = 5): Connections {
  const url = new URL(address)
  const schema = url.searchParams.get('schema') ?? 'public'
  url.searchParams.delete('schema')
  const place = placeOf(address)
  const pool = new Pool({
    connectionString: url.href,
    max: most,
    connectionTimeoutMillis: CONNECTING_MS,
    application_name: 'tillage',
    // Statements are few and small, and compiling them takes longer than they do.
    options: `-c search_path=${schema} -c jit=off -c client_encoding=UTF8 -c timezone=UTC`,
    types: { getTypeParser },
  })
  // A connection that nobody uses was lost: the next one who asks gets another.
  pool.on('error', () => {})
  pool.on('connect', client => explainQueries(place, client))
  return {
    place,
    async connect() {
      try {
        return await pool.connect()
      } catch (cause) {
        throw asDatabaseError(place, cause)
      }
    },
    end: () => (pool.ended ? Promise.resolve() : pool.end()),
  }
}

const CONNECTING_MS = 10_000

/** Without who signs in, and how. */
export function placeOf(address: string): string {
  const { host, pathname, searchParams } = new URL(address)
  const schema = searchParams.get('schema')
  return `postgres://${host}${pathname}${schema === null ? '' : `?schema=${schema}`}`
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
