import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { books } from '../../commands/books.ts'
import { countingNumber } from '../../commands/command.ts'
import { command as query } from '../../commands/query.ts'
import { queryParquet } from '../exports/order.ts'
import { T1, T2, T3 } from '../exports/sales/worked-example.ts'
import { bookkeeper } from './bookkeeper.ts'

let keeper: Awaited<ReturnType<typeof bookkeeper>>
let folder: string

beforeAll(async () => {
  keeper = await bookkeeper(['downtown', 'harbor'])
  for (const store of ['downtown', 'harbor']) keeper.sales([T1, T2, T3], {}, store)
  keeper.read('downtown', 'members', [{ id: 'M1', firstName: 'Ana', lastName: 'Ruiz' }])
  await keeper.listen(false, context => books(context, {}, 'refresh'))
  folder = dirname(keeper.config.file)
})

const ask = (sql: string, options: Record<string, unknown> = {}, json = false) =>
  keeper.listen(json, context => query.run(context, options, sql))
const refusalOf = (sql: string, options: Record<string, unknown> = {}): Promise<string> =>
  ask(sql, options).then(
    ({ stdout }) => `was answered: ${stdout}`,
    (error: Error) => error.message,
  )

const TOTAL = `SELECT store_id, sum(total_due) AS total, max(completed_at) AS last
  FROM books_transactions GROUP BY ALL ORDER BY store_id`

describe('a question in SQL', () => {
  test('adds money up as decimals, and has times as instants', async () => {
    const { stdout } = await ask(TOTAL, {}, true)
    const { columns, rows } = JSON.parse(stdout) as {
      columns: { name: string; type: string }[]
      rows: Record<string, unknown>[]
    }
    expect(columns.map(({ type }) => type)).toEqual([
      'VARCHAR',
      'DECIMAL(38,10)',
      'TIMESTAMP WITH TIME ZONE',
    ])
    expect(rows.map(({ store_id: store }) => store)).toEqual(['downtown', 'harbor'])
    expect(rows[0]).toMatchObject({ last: '2026-03-08T20:00:00.000Z' })
    expect(rows[0]!['total']).toMatch(/^\d+\.\d{4}$/)
  })

  test('has every digit of a cost, and says where a value has more than ten', async () => {
    const read = (id: string, cost: string): void =>
      keeper.read('harbor', 'batches', [{ id, modified: 1, costPerUnit: JSON.rawJSON(cost) }])
    const sql = `SELECT cost_per_unit AS cost FROM batches WHERE id LIKE 'FINE%' ORDER BY id`
    const costs = async () => {
      const { stdout, stderr } = await ask(sql, {}, true)
      const { rows } = JSON.parse(stdout) as { rows: { cost: string }[] }
      return { costs: rows.map(({ cost }) => cost), stderr }
    }
    read('FINE-1', '14.65997898')
    read('FINE-2', '2.5')
    expect(await costs()).toEqual({ costs: ['14.65997898', '2.5000'], stderr: '' })
    read('FINE-3', '0.000000000000000000123')
    expect(await costs()).toEqual({
      costs: ['14.65997898', '2.5000', '0.0000'],
      stderr: 'batches.cost_per_unit: a value has more than 10 decimals, and was rounded to them',
    })
  })

  test('reads one store where one is named, each table as often as it asks for it', async () => {
    const sql = `SELECT count(*) AS n FROM transactions a JOIN transactions b USING (store_id, id)`
    expect(JSON.parse((await ask(sql, { store: 'harbor' }, true)).stdout)).toMatchObject({
      rows: [{ n: 3 }],
    })
  })

  test('may want the first row alone', async () => {
    expect((await ask('SELECT id FROM transactions LIMIT 1')).stdout).toContain('1 row')
  })

  test('is answered as a table, CSV, Parquet or a workbook, and replaces no file', async () => {
    expect((await ask(TOTAL)).stdout).toContain('2 rows')
    const file = (name: string): string => join(folder, name)
    for (const name of ['a.csv', 'a.parquet', 'a.xlsx', 'a.json'])
      expect((await ask(TOTAL, { out: file(name) })).status).toBe(0)
    expect(readFileSync(file('a.csv'), 'utf8')).toMatch(/^\uFEFFstore_id,total,last\r\ndowntown,/)
    const rows = await queryParquet(
      `SELECT store_id, typeof(total), typeof(last) FROM '${file('a.parquet')}' ORDER BY 1`,
    )
    expect(rows[0]).toEqual(['downtown', 'DECIMAL(38,10)', 'TIMESTAMP WITH TIME ZONE'])
    expect(statSync(file('a.xlsx')).mode & 0o777).toBe(0o600)
    expect(await refusalOf(TOTAL, { out: file('a.csv') })).toContain('is there already')
    // Other programs are told in JSON.
    const told = await ask(TOTAL, { out: file('told.csv') }, true)
    expect(JSON.parse(told.stdout)).toEqual({ file: file('told.csv'), format: 'csv', rows: 2 })
    expect(() => countingNumber('0')).toThrow('1 or more')
    expect(await refusalOf(TOTAL, { format: 'xlsx' })).toContain('xlsx is a file')
  })

  test('has no column that tells who somebody is, unless it is asked for', async () => {
    const names = 'SELECT first_name FROM members'
    const found = 'SELECT column_name AS name FROM (DESCRIBE members)'
    const columns = JSON.parse((await ask(found, { people: true }, true)).stdout) as {
      rows: { name: string }[]
    }
    const person = columns.rows.find(({ name }) => /first_?name/i.test(name))!.name
    expect(await refusalOf(names.replace('first_name', `"${person}"`))).toMatch(/not found/)
    expect((await ask(`SELECT "${person}" FROM members`, { people: true })).stdout).toContain('Ana')
    expect(await refusalOf('SELECT raw FROM members', { people: true })).toMatch(/not found/)
    expect(query.audited!({ people: true }, 'SELECT 1')).toMatchObject({ people: true })
    expect(query.audited!({}, 'SELECT 1')).toBeUndefined()
  })
})

const target = (): string => join(folder, 'attack')

describe('a question that does more than read the tables is refused', () => {
  test.each([
    [`COPY transactions TO 'FILE'`],
    [`COPY (SELECT 1) TO 'FILE' (FORMAT parquet)`],
    [`EXPORT DATABASE 'FILE'`],
    [`ATTACH 'FILE'`],
    [`ATTACH 'DATABASE' (TYPE sqlite)`],
    [`INSTALL httpfs`],
    [`LOAD httpfs`],
    [`SET enable_external_access = true`],
    [`RESET lock_configuration`],
    [`PRAGMA enable_profiling`],
    [`CREATE TABLE x AS SELECT 1`],
    [`CREATE SECRET s (TYPE s3)`],
    [`INSERT INTO transactions SELECT * FROM transactions`],
    [`DELETE FROM transactions`],
    [`DROP VIEW transactions`],
    [`CALL pragma_version()`],
    [`SELECT 1; SELECT 2`],
    [`SELECT 1; COPY transactions TO 'FILE'`],
    [`SELECT * FROM read_csv('/etc/passwd')`],
    [`SELECT * FROM read_text('/etc/passwd')`],
    [`SELECT * FROM read_blob('/etc/*')`],
    [`SELECT * FROM read_parquet('https://example.com/a.parquet')`],
    [`SELECT * FROM sniff_csv('/etc/passwd')`],
    [`SELECT * FROM glob('/etc/*')`],
    [`SELECT * FROM '/etc/passwd'`],
    [`SELECT * FROM '/etc/passwd.csv'`],
    [`SELECT * FROM duckdb_secrets()`],
    [`SELECT getenv('HOME')`],
    [`SELECT * FROM query('COPY transactions TO ''FILE''')`],
    [`SELECT * FROM sqlite_scan('DATABASE', 'windows')`],
    [`SELECT * FROM windows`],
    [`SELECT * FROM audit_log`],
    [`nonsense`],
    [``],
  ])('%s', async text => {
    const sql = text.replace('FILE', target()).replace('DATABASE', keeper.config.database)
    expect(await refusalOf(sql)).not.toContain('was answered')
    expect(existsSync(target())).toBe(false)
  })
})

describe('a question that runs away is ended', () => {
  const ENDLESS =
    'WITH RECURSIVE r AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM r) SELECT max(x) FROM r'

  test('by time', async () => {
    expect(await refusalOf(ENDLESS, { seconds: 1 })).toContain('longer than 1 seconds')
  })

  test('by memory', async () => {
    const wide = 'SELECT list(repeat(a.range::VARCHAR, 100)) FROM range(100000000) a'
    expect(await refusalOf(wide)).toMatch(/more than 1GB of memory|takes longer/)
  })

  test('by the size of its answer', async () => {
    expect(await refusalOf('SELECT * FROM range(100000000)')).toContain('cells')
  })

  test('by whoever stops the program', async () => {
    const stop = new AbortController()
    const asked = keeper.listen(false, context =>
      query.run({ ...context, config: keeper.config, signal: stop.signal }, {}, ENDLESS),
    )
    setImmediate(() => stop.abort())
    await expect(asked).rejects.toThrow('aborted')
  })
})

describe('the questions of docs/query.md', () => {
  const page = readFileSync('docs/query.md', 'utf8')
  const questions = [...page.matchAll(/```sql\n([^`]*)```/g)].map(([, sql]) => sql!)

  test('are five, and each is answered', async () => {
    expect(questions).toHaveLength(5)
    for (const sql of questions) expect((await ask(sql)).status).toBe(0)
  })
})
