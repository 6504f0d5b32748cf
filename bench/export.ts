/**
 * `node bench/export.ts [RECORDS]`: a month of transactions, lines, lots, payments and taxes as
 * Parquet and CSV with their manifest, against DuckDB's own COPY of the same rows out of its own
 * tables, in one run, as a ratio. Times never fail anything: read the ratio.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import Database from 'better-sqlite3'
import { businessDays } from '../calendar/business-day.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { addKeyFunction } from '../connectors/sqlite/duplicate-keys.ts'
import { mergeStatements } from '../connectors/sqlite/merge-statements.ts'
import { migrate } from '../connectors/sqlite/migrate.ts'
import { exportFiles } from '../exports/export-files.ts'
import type { ExportedFile } from '../exports/request.ts'
import { readOptions } from '../sandbox/options.ts'
import { productRecord } from '../sandbox/seed/catalog-records.ts'
import { makeNested } from '../sandbox/seed/nested.ts'
import { makeSeeds } from '../sandbox/seed/seeds.ts'
import { batchRecord } from '../sandbox/seed/stock-records.ts'
import { makeShops } from '../sandbox/seed/stores.ts'
import { TransactionWriter } from '../sandbox/seed/transaction-json.ts'
import type { Transactions } from '../sandbox/seed/transactions.ts'
import { JsonWriter } from '../sandbox/values/json-writer.ts'

process.env['TZ'] = 'UTC'
const records = Number(process.argv[2] ?? 100_000)
const days = 30
const until = '2026-03-31'
const folder = mkdtempSync(join(tmpdir(), 'tillage-bench-'))
interface Cost {
  wall: number
  /** Of all threads: what a busy machine changes least. */
  cpu: number
}
const stopwatch = (): (() => Cost) => {
  const [startedMs, used] = [performance.now(), process.cpuUsage()]
  return () => {
    const { user, system } = process.cpuUsage(used)
    return { wall: (performance.now() - startedMs) / 1000, cpu: (user + system) / 1e6 }
  }
}
const shown = ({ wall, cpu }: Cost): string => `${wall.toFixed(2)} s (${cpu.toFixed(2)} s of CPU)`

try {
  const databasePath = join(folder, 'tillage.db')
  const shop = await fill(databasePath)
  const clock = { timeZone: shop.timeZone, dayStartsAt: '00:00' }
  const range = businessDays({ from: '2026-02-28', to: '2026-04-01' }, clock)
  let peakMb = 0
  const idleMb = process.memoryUsage.rss() / 1e6
  const watch = setInterval(() => (peakMb = Math.max(peakMb, process.memoryUsage.rss() / 1e6)), 100)
  const stop = stopwatch()
  const { files } = await exportFiles({
    databasePath,
    streams,
    store: shop.id,
    days: { from: '2026-02-28', to: '2026-04-01' },
    range,
    books: {
      clock,
      range,
      read: range,
      editsKnownUntil: '2026-04-01T00:00:00.000Z',
      memberSecret: 'of the benchmark',
    },
    datasets: ['transactions', 'transaction_items', 'item_lots', 'payments', 'taxes'],
    formats: ['parquet', 'csv'],
    out: join(folder, 'out'),
    proof: null,
    tool: 'bench',
  })
  const whole = stop()
  clearInterval(watch)
  const copy = await copyAlone(files)
  const rows = files
    .filter(({ format }) => format === 'parquet')
    .reduce((all, file) => all + file.rows, 0)
  const megabytes = files.reduce((all, { path }) => all + statSync(path).size / 1e6, 0)
  console.log(
    `rows           ${files[0]!.rows.toLocaleString('en-US')} transactions, ${rows.toLocaleString('en-US')} rows in five datasets, ${megabytes.toFixed(0)} MB of files`,
  )
  console.log(
    `export         ${shown(whole)}  ${Math.round(files[0]!.rows / whole.wall).toLocaleString('en-US')} transactions/s, ${Math.round((2 * rows) / whole.wall).toLocaleString('en-US')} rows written/s`,
  )
  console.log(`DuckDB's COPY  ${shown(copy)}`)
  console.log(
    `ratio          ${(whole.wall / copy.wall).toFixed(1)} (${(whole.cpu / copy.cpu).toFixed(1)} of CPU)`,
  )
  console.log(`memory         ${idleMb.toFixed(0)} MB before, ${peakMb.toFixed(0)} MB at most`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** The sandbox's records, merged by the destination's own statements. */
async function fill(databasePath: string): Promise<ReturnType<typeof makeShops>[number]> {
  await migrate(databasePath, streams)
  const database = new Database(databasePath)
  database.pragma('synchronous = OFF')
  const settings = readOptions({
    stores: 1,
    days,
    until,
    transactionsPerDay: Math.round(records / days),
  })
  const shop = makeShops(settings)[0]!
  const { catalog, stock, transactions } = makeSeeds(shop)
  addKeyFunction(database)
  let batch = 0
  const merge = (name: string, body: string | Buffer): void => {
    const { upsert, children } = mergeStatements(streams.find(stream => stream.name === name)!)
    batch++
    database.transaction(() => {
      for (const sql of [upsert, ...children.map(({ insert }) => insert)])
        database
          .prepare(sql)
          .run({ store: shop.id, batch, body: String(body), listPath: '$', skip: '[]' })
    })()
  }
  merge(
    'products',
    JSON.stringify(catalog.products.map(product => productRecord(shop, catalog, stock, product))),
  )
  merge('batches', JSON.stringify(stock.batches.map(one => batchRecord(shop, catalog, one))))
  const writer = new TransactionWriter(
    shop,
    catalog,
    makeNested(shop, catalog),
    settings.recordBytes,
  )
  for (let first = 0; first < transactions.count; first += 1000)
    merge('transactions', writeSome(writer, transactions, first))
  database.close()
  return shop
}

/** A thousand transactions as a JSON list. */
function writeSome(writer: TransactionWriter, transactions: Transactions, first: number): Buffer {
  const out = new JsonWriter()
  for (let number = first; number < Math.min(first + 1000, transactions.count); number++) {
    out.raw(Buffer.from(number === first ? '[' : ','))
    writer.write(out, transactions.transaction(number), -1)
  }
  out.raw(Buffer.from(']'))
  return Buffer.from(out.copy(0))
}

/**
 * The same rows in DuckDB's own tables, written by COPY alone: no reading of JSON, no sums, no
 * hashes, no manifest.
 */
async function copyAlone(files: readonly ExportedFile[]): Promise<Cost> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  const parquet = files.filter(({ format }) => format === 'parquet')
  for (const { dataset, path } of parquet)
    await connection.run(`CREATE TABLE ${dataset} AS SELECT * FROM read_parquet('${path}')`)
  const stop = stopwatch()
  for (const { dataset } of parquet) {
    await connection.run(
      `COPY ${dataset} TO '${join(folder, dataset)}.parquet' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 20480)`,
    )
    await connection.run(`COPY ${dataset} TO '${join(folder, dataset)}.csv' (FORMAT csv, HEADER)`)
  }
  const taken = stop()
  connection.closeSync()
  instance.closeSync()
  return taken
}
