import { isThisMachine } from '../this-machine.ts'

/**
 * `postgres://USER:PASSWORD@HOST:PORT/NAME?sslmode=verify-full&schema=SCHEMA`: where a database is
 * that is no file. `schema` and `allowInsecure` are ours, all other options are PostgreSQL's own.
 */
export const isServerAddress = (database: string): boolean => /^postgres(ql)?:\/\//.test(database)

/** Of the address of a server. */
export const schemaOf = (address: string): string =>
  new URL(address).searchParams.get('schema') ?? 'public'

/** For messages: without who signs in, and how. Of a file its path. */
export function placeOf(database: string): string {
  const url = isServerAddress(database) ? URL.parse(database) : null
  if (url === null) return database
  const schema = url.searchParams.get('schema')
  return `postgres://${url.host}${url.pathname}${schema === null ? '' : `?schema=${schema}`}`
}

/** Letters that need no quotes, so that a schema is called the same everywhere. */
const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/

/** These encrypt or fail; the others may fall back to a line that anybody can read. */
const ENCRYPTED = ['require', 'verify-ca', 'verify-full']

/** Why this names no database that can be used, to be said after `database`; undefined: it does. */
export function faultOfAddress(database: string): string | undefined {
  if (!isServerAddress(database))
    return /^\w+:\/\//.test(database)
      ? 'must be a path, like ./tillage-data/tillage.db, or the address of a PostgreSQL server, ' +
          'like postgres://USER:${PGPASSWORD}@HOST:5432/NAME?sslmode=verify-full&schema=tillage'
      : undefined
  const url = URL.parse(database)
  if (url === null || url.hostname === '' || url.pathname.length < 2)
    return (
      'lacks the host or the name of the database: ' +
      'postgres://USER:${PGPASSWORD}@HOST:5432/NAME?schema=tillage. ' +
      'In a password, what has a meaning in addresses is written as %40 for @ and %2F for /'
    )
  return faultOfOptions(url)
}

function faultOfOptions({ hostname, searchParams }: URL): string | undefined {
  const schema = searchParams.get('schema')
  if (schema !== null && !SCHEMA.test(schema))
    return 'has a schema that is no plain name; small letters, digits and _ are, like tillage'
  const isPrivate =
    isThisMachine(hostname) ||
    ENCRYPTED.includes(searchParams.get('sslmode') ?? '') ||
    searchParams.get('allowInsecure') === 'true'
  return isPrivate
    ? undefined
    : 'would send the rows to another machine without TLS; add ?sslmode=verify-full, ' +
        'or allowInsecure=true where nobody else is on the network between'
}
