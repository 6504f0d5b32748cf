import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { parseString } from 'fast-csv'
import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../calendar/days.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { datasetsOf } from '../../exports/datasets.ts'
import { exportFiles } from '../../exports/export-files.ts'
import { parseManifest } from '../../exports/revisions/manifest.ts'
import type { Manifest } from '../../exports/revisions/manifest.ts'
import { verifyTotals } from '../../exports/revisions/verify-totals.ts'
import { addDecimal, newDecimalTotals, sumOf } from '../../money/decimal-totals.ts'
import { plainDecimal } from '../../money/decimal.ts'
import { createDatabase, insertRecords, sales, sellers } from './export-database.ts'
import type { Row } from './export-database.ts'
import {
  exportHere,
  freshFolder,
  orderFor,
  queryParquet,
  readParquet,
  salesOf,
  START_MS,
} from './order.ts'

function manifestAt(path: string): Manifest {
  const manifest = parseManifest(readFileSync(path, 'utf8'))
  if (manifest === undefined) throw new Error('not a manifest')
  return manifest
}

async function readCsv(path: string): Promise<string[][]> {
  const rows: string[][] = []
  await new Promise((resolve, reject) => {
    parseString(readFileSync(path, 'utf8'))
      .on('data', (row: string[]) => rows.push(row))
      .on('error', reject)
      .on('end', resolve)
  })
  return rows
}

const readJsonl = (path: string): Record<string, unknown>[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line) as Record<string, unknown>)

/** Writes rows of one day and reads all three files back. */
async function roundTrip(rows: Row[], changes: Parameters<typeof orderFor>[1] = {}) {
  const folder = freshFolder()
  const database = createDatabase(join(folder, 'tillage.db'))
  insertRecords(
    database,
    sales,
    'downtown',
    rows.map((row, index) => ({
      row: { id: String(index).padStart(4, '0'), modified: START_MS, ...row },
    })),
  )
  database.close()
  const result = await exportHere(orderFor(folder, { datasets: ['sales'], ...changes }))
  const file = (format: string): string =>
    result.files.find(each => each.format === format)?.path ?? ''
  const names = [
    ...(datasetsOf([sales])[0]?.columns.map(column => column.name) ?? []),
    'exact_decimals',
  ]
  const byName = (cells: (string | null)[]): Record<string, string | null> =>
    Object.fromEntries(names.map((name, index) => [name, cells[index] ?? null]))
  return {
    result,
    manifest: manifestAt(result.manifest),
    parquetPath: file('parquet'),
    csvText: readFileSync(file('csv'), 'utf8'),
    parquet: (await readParquet(file('parquet'))).map(byName),
    csv: (await readCsv(file('csv'))).slice(1).map(byName),
    jsonl: readJsonl(file('jsonl')),
  }
}

/** A decimal of a Parquet file: what its type does not hold stands beside it. */
function exactOf(row: Record<string, string | null>, name: string): string | null {
  const beside = JSON.parse(row['exact_decimals'] ?? '{}') as Record<string, string>
  return beside[name] ?? row[name] ?? null
}

describe('every file of an export', () => {
  it('holds each decimal exactly, digit by digit (INV-6)', async () => {
    const plain = fc.tuple(
      fc.constantFrom('', '-'),
      fc.bigInt({ min: 0n, max: 10n ** 20n }),
      fc.option(fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 9 }), {
        nil: undefined,
      }),
    )
    const token = fc.oneof(
      plain.map(
        ([sign, whole, fraction]) =>
          `${sign}${whole}${fraction === undefined ? '' : `.${fraction}`}`,
      ),
      fc
        .tuple(fc.integer({ min: -9999, max: 9999 }), fc.integer({ min: -8, max: 8 }))
        .map(([whole, exponent]) => `${whole}e${exponent}`),
      fc.constantFrom('12.50', '-0.00', '1234567890123456.12', '0.1', '1e-7', '007.10'),
    )
    const tokens = fc.sample(fc.option(token, { nil: null }), { numRuns: 1500, seed: 7 })
    const { parquet, csv, jsonl, manifest } = await roundTrip(tokens.map(total => ({ total })))
    const unscaled = (text: string): string =>
      text
        .replace(/\.?0+$/, zeros => (text.includes('.') ? '' : zeros))
        .replace(/^(-?)0+(?=\d)/, '$1')
        .replace(/^-0$/, '0')
    const total = newDecimalTotals()
    tokens.forEach((given, index) => {
      const digits = given === null ? null : plainDecimal(given)
      expect(csv[index]?.['total']).toBe(digits ?? '')
      expect(jsonl[index]?.['total']).toBe(digits)
      const cell = exactOf(parquet[index]!, 'total')
      expect(cell === null ? null : unscaled(cell)).toBe(
        digits === null || digits === undefined ? null : unscaled(digits),
      )
      if (given !== null) addDecimal(total, given)
    })
    expect(manifest.datasets[0]?.sums['total']).toBe(sumOf(total))
  })

  it('keeps beside a decimal what its declared type does not hold, and says how many there are', async () => {
    const { parquet, parquetPath, result } = await roundTrip([
      { total: '1.005', tax: '2.00' },
      { total: '1.0000005', tax: '-0.1234564' },
      { total: '1234567890123.25' },
    ])
    const shown = parquet.map(row => [row['total'], row['tax'], row['exact_decimals']])
    expect(shown).toEqual([
      ['1.005000', '2.000000', null],
      ['1.000001', '-0.123456', '{"total":"1.0000005","tax":"-0.1234564"}'],
      [null, null, '{"total":"1234567890123.25"}'],
    ])
    expect(result.beyondType).toEqual([
      { dataset: 'sales', column: 'total', type: 'DECIMAL(18,6)', values: 2 },
      { dataset: 'sales', column: 'tax', type: 'DECIMAL(18,6)', values: 1 },
    ])
    expect((await verifyTotals(result.manifest, manifestAt(result.manifest), new Set()))[0]).toBe(
      undefined,
    )
    const usual = await roundTrip([{ total: '1.00' }])
    expect(usual.result.beyondType).toEqual([])
    const typesOf = (path: string): string =>
      `SELECT column_name, column_type FROM (DESCRIBE FROM read_parquet('${path}'))`
    expect(await queryParquet(typesOf(usual.parquetPath))).toEqual(
      await queryParquet(typesOf(parquetPath)),
    )
  })

  it('shows a text with a NUL character alike in every format: without it', async () => {
    const names = ['a\u0000b', '\u0000', 'c']
    const { parquet, csv, jsonl } = await roundTrip(names.map(name => ({ name })))
    for (const rows of [parquet, csv, jsonl])
      expect(rows.map(row => row['name'] ?? '')).toEqual(['ab', '', 'c'])
  })

  it('carries any text unharmed: quotes, line breaks, other scripts, formulas', async () => {
    const texts = [
      'Piña "Colada"',
      'line\nbreak\r\nend',
      "it's",
      'a,b;c\td',
      '日本 🌿',
      ' padded ',
      'é'.normalize('NFD'),
      '\u2028',
      '=SUM(A1)',
      '+1',
      '-1',
      '@x',
      '\tx',
      '\rx',
      "'='",
      '＝1+1',
      '\n=1',
      '',
    ]
    const { parquet, csv, jsonl } = await roundTrip(texts.map(name => ({ name })))
    expect(parquet.map(row => row['name'])).toEqual(texts)
    expect(jsonl.map(row => row['name'])).toEqual(texts)
    expect(csv.map(row => row['name'])).toEqual(
      texts.map(text => (/^'?[=＝+\-@\t\r\n]/.test(text) ? `'${text}` : text)),
    )
  })

  it('guards formulas in texts only, so that negative amounts stay numbers', async () => {
    const { csv } = await roundTrip([{ name: '-5', total: '-5.00', counter: -5, tags: '-5' }])
    expect(csv[0]).toMatchObject({ name: "'-5", total: '-5.00', counter: '-5', tags: "'-5" })
  })

  it('begins without a byte order mark where nobody wants one', async () => {
    const { csvText } = await roundTrip([{ name: 'x' }], { bom: false })
    expect(csvText.startsWith('store_id,')).toBe(true)
  })

  it('tells NULL from empty text where the format can', async () => {
    const { parquet, csv, jsonl } = await roundTrip([{ name: '' }, { name: null }])
    expect(parquet.map(row => row['name'])).toEqual(['', null])
    expect(jsonl.map(row => row['name'])).toEqual(['', null])
    expect(csv.map(row => row['name'])).toEqual(['', ''])
  })

  it('writes times in UTC to the millisecond, before 1970 and after 9999 too', async () => {
    const paidAt = [0, -1, START_MS + 7, 253_402_300_800_000]
    const iso = [
      '1970-01-01T00:00:00.000Z',
      '1969-12-31T23:59:59.999Z',
      '2026-03-08T10:00:00.007Z',
      '+010000-01-01T00:00:00.000Z',
    ]
    const { parquetPath, csv, jsonl } = await roundTrip(paidAt.map(paid_at => ({ paid_at })))
    expect(csv.map(row => row['paid_at'])).toEqual(iso)
    expect(jsonl.map(row => row['paid_at'])).toEqual(iso)
    expect(
      await queryParquet(`SELECT epoch_ms(paid_at)::VARCHAR FROM read_parquet('${parquetPath}')`),
    ).toEqual(paidAt.map(ms => [String(ms)]))
  })

  it('keeps booleans, long integers and nested JSON what they are', async () => {
    const { parquet, csv, jsonl, parquetPath } = await roundTrip([
      { deleted: 1, counter: 9007199254740993n, tags: '{"a":[1,{"b":2.50}]}' },
      { deleted: 0 },
    ])
    expect(parquet[0]).toMatchObject({
      deleted: 'true',
      counter: '9007199254740993',
      tags: '{"a":[1,{"b":2.50}]}',
    })
    expect(csv[0]).toMatchObject({
      deleted: 'true',
      counter: '9007199254740993',
      tags: '{"a":[1,{"b":2.50}]}',
    })
    expect(csv[1]).toMatchObject({ deleted: 'false', counter: '', tags: '' })
    expect(jsonl[0]).toMatchObject({ deleted: true, tags: { a: [1, { b: 2.5 }] } })
    expect(
      await queryParquet(
        `SELECT column_name, column_type FROM (DESCRIBE FROM read_parquet('${parquetPath}'))`,
      ),
    ).toEqual([
      ['store_id', 'VARCHAR'],
      ['id', 'VARCHAR'],
      ['name', 'VARCHAR'],
      ['modified', 'TIMESTAMP WITH TIME ZONE'],
      ['paid_at', 'TIMESTAMP WITH TIME ZONE'],
      ['total', 'DECIMAL(18,6)'],
      ['tax', 'DECIMAL(18,6)'],
      ['deleted', 'BOOLEAN'],
      ['counter', 'BIGINT'],
      ['tags', 'VARCHAR'],
      ['buyer', 'VARCHAR'],
      ['exact_decimals', 'VARCHAR'],
    ])
  })

  it('begins with the header for readers that know the byte order mark, and for Excel with the mark', async () => {
    const { csvText, result } = await roundTrip([{ name: 'Piña' }])
    expect(csvText.startsWith('\uFEFFstore_id,id,name,')).toBe(true)
    const csvPath = result.files.find(file => file.format === 'csv')?.path ?? ''
    expect((await readCsv(csvPath))[0]?.[0]).toBe('store_id')
    expect(await queryParquet(`SELECT store_id, name FROM read_csv('${csvPath}')`)).toEqual([
      ['downtown', 'Piña'],
    ])
  })

  it('leaves people and raw records out, and says so (INV-10)', async () => {
    const { parquet, csv, jsonl, csvText, manifest } = await roundTrip([{ buyer: 'Ana Ruiz' }])
    expect([parquet[0]?.['buyer'], csv[0]?.['buyer'], jsonl[0]?.['buyer']]).toEqual([
      null,
      '',
      null,
    ])
    expect(csvText.split('\r\n')[0]).toContain(',buyer')
    expect(manifest.datasets[0]?.masked).toEqual(['buyer'])
    expect(`${csvText}${JSON.stringify(jsonl)}`).not.toMatch(/Ruiz|raw|secret/)
  })

  it('holds people when they are asked for', async () => {
    const { parquet, csv, jsonl, manifest } = await roundTrip([{ buyer: 'Ana Ruiz' }], {
      includePeople: true,
    })
    expect([parquet[0]?.['buyer'], csv[0]?.['buyer'], jsonl[0]?.['buyer']]).toEqual([
      'Ana Ruiz',
      'Ana Ruiz',
      'Ana Ruiz',
    ])
    expect(manifest.datasets[0]?.masked).toEqual([])
    expect(manifest.people).toBe(true)
  })

  it('is there even without a row, with its header', async () => {
    const { result, parquet, parquetPath, csvText, jsonl, manifest } = await roundTrip([])
    expect(result.files.map(file => file.rows)).toEqual([0, 0, 0])
    expect(parquet).toEqual([])
    expect(
      (await queryParquet(`SELECT column_name FROM (DESCRIBE FROM read_parquet('${parquetPath}'))`))
        .length,
    ).toBe(12)
    expect(csvText).toBe(
      '\uFEFFstore_id,id,name,modified,paid_at,total,tax,deleted,counter,tags,buyer\r\n',
    )
    expect(jsonl).toEqual([])
    expect(manifest.datasets[0]).toMatchObject({ rows: 0, sums: { total: '0.00', tax: '0.00' } })
  })
})

describe('the rows of an export', () => {
  it('are those of the store whose cursor lies in the half-open range, in key order, with their children', async () => {
    const folder = freshFolder()
    const database = createDatabase(join(folder, 'tillage.db'))
    const sale = (id: string, modified: number) => ({
      row: { id, modified },
      children: { sale_items: [{ product: `${id}-1` }, { product: `${id}-2` }] },
    })
    insertRecords(database, sales, 'downtown', [
      sale('c', START_MS),
      sale('late', START_MS + DAY_MS),
      sale('a', START_MS + DAY_MS - 1),
      sale('early', START_MS - 1),
      sale('b', START_MS + 5),
    ])
    insertRecords(database, sales, 'uptown', [sale('a', START_MS)])
    insertRecords(database, sellers, 'downtown', [
      { row: { id: 'old', modified: 1 } },
      { row: { id: 'none', modified: null } },
    ])
    database.close()
    const { files, manifest } = await exportHere(
      orderFor(folder, { datasets: ['sellers', 'sale_items', 'sales'], formats: ['jsonl'] }),
    )
    expect(files.map(file => file.dataset)).toEqual(['sales', 'sale_items', 'sellers'])
    expect(readJsonl(files[0]?.path ?? '').map(row => row['id'])).toEqual(['a', 'b', 'c'])
    expect(readJsonl(files[1]?.path ?? '')).toMatchObject(
      ['a', 'b', 'c'].flatMap(id =>
        [1, 2].map(line_no => ({
          store_id: 'downtown',
          sale_id: id,
          line_no,
          product: `${id}-${line_no}`,
        })),
      ),
    )
    expect(readJsonl(files[2]?.path ?? '').map(row => row['id'])).toEqual(['none', 'old'])
    expect(
      manifestAt(manifest).datasets.map(({ dataset, rowsOf, rows }) => [dataset, rowsOf, rows]),
    ).toEqual([
      ['sales', 'range', 3],
      ['sale_items', 'range', 6],
      ['sellers', 'full-refresh', 2],
    ])
  })

  it('come from one state of the database, whatever is written meanwhile', async () => {
    const folder = freshFolder()
    const database = createDatabase(join(folder, 'tillage.db'))
    insertRecords(database, sales, 'downtown', salesOf(50))
    let changed = false
    const { files } = await exportFiles(
      orderFor(folder, {
        formats: ['csv', 'jsonl'],
        progress: ({ phase }) => {
          if (phase !== 'writing' || changed) return
          changed = true
          database.exec("DELETE FROM _sale_items; UPDATE _sales SET total = '0.01'")
        },
      }),
    )
    database.close()
    expect(changed).toBe(true)
    expect(files.map(file => file.rows)).toEqual([50, 50, 100, 100])
    expect(readJsonl(files[1]?.path ?? '').every(row => row['total'] === '12.50')).toBe(true)
    expect(readJsonl(files[3]?.path ?? '').length).toBe(100)
  })

  it('are the same whether a view reads columns or takes them out of the record as JSON', async () => {
    const folder = freshFolder()
    const database = createDatabase(join(folder, 'tillage.db'))
    insertRecords(database, sales, 'downtown', [
      { row: { id: 'a', modified: START_MS, total: '1234567890123456.10', tags: '[1.10,"x"]' } },
    ])
    const plain = await exportHere(orderFor(folder, { datasets: ['sales'] }))
    database.exec(`
      DROP VIEW sales;
      UPDATE _sales SET raw = '{"total":1234567890123456.10,"tags":[1.10,"x"]}';
      CREATE VIEW sales AS
        SELECT store_id, id, name, modified, paid_at, raw -> '$.total' AS total, tax, deleted,
          counter, raw -> '$.tags' AS tags, buyer, NULL AS deleted_at, raw
        FROM _sales`)
    const taken = await exportHere(orderFor(folder, { datasets: ['sales'] }))
    expect(taken.published).toBe(false)
    expect(readJsonl(plain.files[2]?.path ?? '')).toMatchObject([
      { total: '1234567890123456.10', tags: [1.1, 'x'] },
    ])
    database.exec("UPDATE _sales SET raw = replace(raw, '56.10', '56.11')")
    expect(await exportHere(orderFor(folder, { datasets: ['sales'] }))).toMatchObject({
      revision: 1,
    })
  })

  it('derive from the declared streams, one dataset each and one for each child', () => {
    const kinds = new Set<string>()
    const datasets = datasetsOf(streams)
    for (const dataset of datasets) {
      expect(dataset.columns.map(column => column.name)).not.toContain('raw')
      expect(
        dataset.order.every(name => dataset.columns.some(column => column.name === name)),
      ).toBe(true)
      for (const column of dataset.columns) kinds.add(column.kind)
    }
    // The lots, payments and taxes of the books are no stream's or child's own, and two books
    // can be had with the API's own columns.
    expect(datasets.length).toBe(
      streams.length + streams.flatMap(stream => Object.keys(stream.children)).length + 5,
    )
    expect([...kinds].toSorted()).toEqual([
      'boolean',
      'date',
      'decimal',
      'integer',
      'json',
      'text',
      'timestamp',
    ])
  })

  it('can be written for every declared stream, however many columns it has', async () => {
    const folder = freshFolder()
    const database = createDatabase(join(folder, 'tillage.db'), streams)
    for (const stream of streams)
      insertRecords(database, stream, 'downtown', [{ row: { id: 'x', modified: START_MS } }])
    database.close()
    const all = datasetsOf(streams)
    const range = { startMs: START_MS, endMs: START_MS + DAY_MS }
    const books = {
      clock: { timeZone: 'UTC', dayStartsAt: '00:00' },
      range,
      read: range,
      editsKnownUntil: '2026-03-10T00:00:00.000Z',
      memberSecret: 'secret',
    }
    const { files } = await exportFiles(
      orderFor(folder, { streams, books, datasets: all.map(dataset => dataset.name) }),
    )
    expect(files.length).toBe(all.length * 3)
    const parents = new Set([...streams.map(stream => stream.name), 'raw_transactions'])
    for (const file of files)
      expect(file.rows, file.dataset).toBe(parents.has(file.dataset) ? 1 : 0)
  })
})
