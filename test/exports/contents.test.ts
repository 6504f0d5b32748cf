import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { parseString } from 'fast-csv'
import { describe, expect, it } from 'vitest'
import { datasetsOf } from '../../exports/datasets.ts'
import { verifyTotals } from '../../exports/revisions/verify-totals.ts'
import { addDecimal, newDecimalTotals, sumOf } from '../../money/decimal-totals.ts'
import { plainDecimal } from '../../money/decimal.ts'
import { createDatabase, insertRecords, sales } from './export-database.ts'
import type { Row } from './export-database.ts'
import { exportHere, freshFolder, orderFor, queryParquet, readParquet, START_MS } from './order.ts'
import { manifestAt, readJsonl } from './read-files.ts'

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
