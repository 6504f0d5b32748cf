import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseString } from 'fast-csv'
import { Sums, cents } from './truth.ts'

export type Row = Readonly<Record<string, string>>

export function readCsv(path: string, delimiter = ','): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    const rows: Row[] = []
    parseString<Row, Row>(readFileSync(path, 'utf8').replace('\uFEFF', ''), {
      headers: true,
      delimiter,
    })
      .on('error', reject)
      .on('data', (row: Row) => rows.push(row))
      .on('end', () => resolve(rows))
  })
}

/** A published file, by its name: dataset, the day that it is about, and its revision. */
export interface Published {
  path: string
  dataset: string
  day: string
  revision: number
}

/** All files of one store, oldest revision first. */
export function publishedFiles(folder: string, store: string): Published[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .flatMap((path): Published[] => {
      const name = basename(path)
      const [, dataset, day, revision] =
        new RegExp(`^(\\w+)_${store}_(\\d{4}-\\d\\d-\\d\\d)_r(\\d+)(?:-\\d+)?\\.\\w+$`).exec(
          name,
        ) ?? []
      return dataset === undefined
        ? []
        : [{ path: join(folder, path), dataset, day: day!, revision: Number(revision) }]
    })
    .sort((a, b) => a.revision - b.revision)
}

/**
 * How to read one of the journal's files: its rows as account (by code or by name) and cents,
 * debits positive.
 */
interface Format {
  dataset: RegExp
  rows(path: string): Promise<{ account: string; amount: number }[]>
}

const FORMATS: Readonly<Record<string, Format>> = {
  generic: {
    dataset: /^daily_sales_journal$/,
    rows: async path =>
      (await readCsv(path)).map(row => ({
        account: row['account_code']!,
        amount: cents(row['debit']) - cents(row['credit']),
      })),
  },
  qbo: {
    dataset: /^journal_qbo$/,
    rows: async path =>
      (await readCsv(path)).map(row => ({
        account: row['AccountName']!,
        amount: cents(row['Debits']) - cents(row['Credits']),
      })),
  },
  xero: {
    dataset: /^journal_xero(_\d+)?$/,
    rows: async path =>
      (await readCsv(path)).map(row => ({
        account: row['*AccountCode']!,
        amount: cents(row['*Amount']),
      })),
  },
  netsuite: {
    dataset: /^journal_netsuite$/,
    rows: async path =>
      (await readCsv(path)).map(row => ({
        account: row['Account']!,
        amount: cents(row['Debit']) - cents(row['Credit']),
      })),
  },
  iif: {
    dataset: /^journal_iif$/,
    rows: path => {
      const lines = readFileSync(path, 'utf8')
        .split('\r\n')
        .map(line => line.split('\t'))
      const [accountAt, amountAt] = ['ACCNT', 'AMOUNT'].map(name => lines[0]!.indexOf(name))
      return Promise.resolve(
        lines
          .filter(([kind]) => kind === 'TRNS' || kind === 'SPL')
          .map(cells => ({ account: cells[accountAt!]!, amount: cents(cells[amountAt!]) })),
      )
    },
  },
}
export const JOURNALS = Object.keys(FORMATS)

/**
 * What somebody's ledger holds who imported every journal of one format that was ever given out, by
 * business day and account: first postings, reversals, postings again and deltas of closed periods
 * all added up.
 */
export async function importAll(files: readonly Published[], format: string): Promise<Sums> {
  const { dataset, rows } = FORMATS[format]!
  const codes = new Map<string, string>()
  for (const { path } of files.filter(file => file.dataset === 'daily_sales_journal')) {
    for (const { account_code: code, account_name: name } of await readCsv(path))
      for (const text of [code!, name!, `${code} ${name}`]) codes.set(text, code!)
  }
  const sums = new Sums()
  for (const { path, day } of files.filter(file => dataset.test(file.dataset))) {
    for (const { account, amount } of await rows(path))
      sums.add(`${day} ${codes.get(account) ?? account}`, amount)
  }
  return sums
}

/**
 * First given out, and every change listed since: by day, what customers owed. A change counts
 * where it says that it belongs.
 */
export async function restate(files: readonly Published[]): Promise<Sums> {
  const sums = new Sums()
  for (const { path, day } of files.filter(
    ({ dataset, revision }) => dataset === 'transactions' && revision === 0,
  ))
    for (const row of await readCsv(path)) sums.add(day, cents(row['total_due']))
  for (const { path } of files.filter(({ dataset }) => dataset === 'restatement')) {
    for (const row of await readCsv(path))
      if (row['field'] === 'total_due')
        sums.add(row['business_date']!, cents(row['new']) - cents(row['old']))
  }
  return sums
}
