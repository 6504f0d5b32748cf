import type Sqlite from 'better-sqlite3'
import fc from 'fast-check'
import { streams } from '../../../connectors/partner/streams/index.ts'
import { quoteName as quote } from '../../../connectors/quote.ts'
import { actNow } from '../../../connectors/sql/audit-chain.ts'
import { appendAct } from '../../../connectors/sql/audit-log.ts'
import { openConnection } from '../../../connectors/sqlite/connection/open-connection.ts'
import { LAST_AUDIT_NUMBER, stepsOn } from '../../../connectors/sqlite/connection/sql-connection.ts'
import { migrate } from '../../../connectors/sqlite/schema/migrate.ts'
import type { Column, ColumnKind, Columns } from '../../../connectors/stream.ts'

/** Values that somebody may have written, as many as are drawn; they are used in turns. */
export interface OddValues {
  texts: readonly string[]
  decimals: readonly string[]
  integers: readonly bigint[]
}

export const ODD_VALUES: fc.Arbitrary<OddValues> = fc.record({
  texts: fc.array(
    fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(
        '',
        '\\N',
        '\\',
        'a\tb\nc\rd',
        '"',
        "'",
        '\u0000',
        'a\u0000b',
        '\uFFFD',
        '{"a":1}',
      ),
    ),
    { minLength: 3, maxLength: 20 },
  ),
  decimals: fc.array(
    fc.constantFrom(
      '0',
      '-0',
      '1.0',
      '1.00',
      '1e2',
      '0.1000000000000000055',
      '-12345678901234567890.5',
    ),
    { minLength: 2, maxLength: 7 },
  ),
  integers: fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), {
    minLength: 2,
    maxLength: 7,
  }),
})

/** A database that has rows in every table, of odd values. */
export async function makeOddDatabase(path: string, odd: OddValues, records = 3): Promise<void> {
  await migrate(path, streams)
  const connection = openConnection(path)
  let drawn = 0
  const next = <Value>(values: readonly Value[]): Value => values[drawn++ % values.length]!
  const value = (kind: ColumnKind): unknown => {
    if (kind === 'text') return next(odd.texts)
    if (kind === 'decimal') return next(odd.decimals)
    if (kind === 'boolean') return drawn++ % 2 === 0
    if (kind === 'timestamp') return 1_772_409_600_000 + drawn++ * 1_000_000_007
    if (kind === 'integer') return next(odd.integers)
    return { list: [next(odd.texts)], number: 1 }
  }
  connection.transaction(() => {
    for (const stream of streams)
      for (let at = 1; at <= records; at++) {
        const record: Record<string, unknown> = {}
        const cells = cellsOf(stream.columns, value, record)
        cells['id'] = `id ${at}`
        setAt(record, 'id', cells['id'])
        const rid = drawn++ * 3
        for (const [child, { path: list, columns }] of Object.entries(stream.children)) {
          const line: Record<string, unknown> = {}
          const of = cellsOf(columns, value, line)
          setAt(record, list, [line])
          insert(connection, `rows_${child}`, { rid, line_no: 1, ...of })
        }
        const raw = JSON.stringify(record, (_, one: unknown) =>
          typeof one === 'bigint' ? one.toString() : one,
        )
        const own = {
          rid,
          store_id: 'downtown',
          batch: 1,
          first_batch: 1,
          gone_at: null,
          ...cells,
          raw,
        }
        insert(connection, `rows_${stream.name}`, own)
      }
    fillBookkeeping(connection, odd, next)
    // What was numbered and is gone is never numbered again.
    connection.exec(`DELETE FROM readings WHERE batch = (SELECT max(batch) FROM readings)`)
    for (const text of odd.texts)
      stepsOn(connection)(appendAct(actNow('purge', { text }), LAST_AUDIT_NUMBER))
  })()
  connection.close()
}

function cellsOf(
  columns: Columns,
  value: (kind: ColumnKind) => unknown,
  record: Record<string, unknown>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(columns).map(([name, { kind, path }]: [string, Column]) => {
      const one = name.length % 5 === 0 ? null : value(kind)
      if (one !== null) setAt(record, path, one)
      if (kind === 'boolean') return [name, one === null ? null : Number(one)]
      return [name, kind === 'json' && one !== null ? JSON.stringify(one) : one]
    }),
  )
}

function setAt(record: Record<string, unknown>, path: string, value: unknown): void {
  const [first, ...rest] = path.split('.') as [string, ...string[]]
  if (rest.length === 0) {
    record[first] = value
    return
  }
  const inner = (record[first] ??= {}) as Record<string, unknown>
  if (typeof inner === 'object') setAt(inner, rest.join('.'), value)
}

/** JSON that is looked into. */
const JSON_COLUMNS = ['counts', 'entry', 'evidence']

function fillBookkeeping(
  connection: Sqlite.Database,
  { texts, integers }: OddValues,
  next: <Value>(values: readonly Value[]) => Value,
): void {
  const tables = connection
    .prepare<[], string>(
      `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
       AND name NOT LIKE 'rows_%' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'kysely_%'
       AND name NOT IN ('audit_log', 'database_identity')`,
    )
    .pluck()
    .all()
  for (const table of tables)
    for (let at = 1; at <= 3; at++) {
      const columns = connection.pragma(`table_info(${table})`) as {
        name: string
        type: string
        pk: number
        notnull: number
      }[]
      const cells = columns.map(({ name, type, pk, notnull }) => {
        if (JSON_COLUMNS.includes(name)) return [name, '{"read":  1.50,"readAt":null}']
        if (type === 'TEXT' && /^window_|_at$|^at$/.test(name))
          return [name, `2026-03-0${at}T00:00:00.000Z`]
        if (type === 'INTEGER' && pk > 0) return [name, at * 7]
        if (type === 'TEXT' && (pk > 0 || name === 'token' || name === 'run' || name === 'op'))
          return [name, `${at} ${next(texts).replaceAll('\u0000', '')}`]
        if (notnull === 0 && at === 2) return [name, null]
        if (type === 'TEXT') return [name, next(texts).replaceAll('\u0000', '')]
        return [name, type === 'REAL' ? 0.1 / at : next(integers)]
      })
      insert(connection, table, Object.fromEntries(cells) as Record<string, unknown>)
    }
}

function insert(connection: Sqlite.Database, table: string, cells: Record<string, unknown>): void {
  const names = Object.keys(cells)
  connection
    .prepare(
      `INSERT INTO ${quote(table)} (${names.map(quote).join(', ')})
       VALUES (${names.map(() => '?').join(', ')})`,
    )
    .run(Object.values(cells))
}
