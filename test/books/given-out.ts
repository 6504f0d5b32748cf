import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseManifest } from '../../exports/revisions/manifest.ts'
import { readCsv } from '../../text/read-csv.ts'

/** A file that was given out once: what it was called, and every byte of it. */
export interface Given {
  path: string
  dataset: string
  sha256: string
  bytes: Buffer
}

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/**
 * Takes in what the manifests below a folder name and was not there before; says which bytes of
 * what was given out before are others now.
 */
export function collect(given: Given[], home: string): string[] {
  const manifests = readdirSync(home, { recursive: true, encoding: 'utf8' })
    .filter(path => /manifest_[^/]*\.json$/.test(path))
    .toSorted((a, b) => numberOf(a) - numberOf(b))
  const found = new Map<string, string>()
  for (const manifest of manifests) {
    found.set(manifest, 'manifest')
    for (const { path, dataset } of parseManifest(readFileSync(join(home, manifest), 'utf8'))!
      .files)
      found.set(join(dirname(manifest), path), dataset)
  }
  const problems: string[] = []
  for (const [path, dataset] of found) {
    if (!existsSync(join(home, path))) continue
    const bytes = readFileSync(join(home, path))
    const sha256 = hashOf(bytes)
    const known = given.find(one => one.path === path)
    if (known === undefined) given.push({ path, dataset, sha256, bytes })
    else if (known.sha256 !== sha256) problems.push(`other bytes are called ${path}`)
  }
  return problems
}

function numberOf(path: string): number {
  const [, revision, addition] = /_r(\d+)(?:-(\d+))?\.json$/.exec(path) ?? []
  return Number(revision) * 1000 + Number(addition ?? 1)
}

/** One line of an entry, without what tells the sides and the numbers apart. */
interface Line {
  account: string
  /** Everything else that an importer reads of it. */
  text: string
  cents: number
}

export interface Entry {
  number: string
  /** `yyyy-MM-dd`. */
  date: string
  lines: Line[]
}

const cents = (text: string | undefined): number => Math.round(Number(text ?? 0) * 100)

/** The columns by which an importer reads a row. */
interface Importer {
  dataset: string
  /** Which entry the row belongs to: the last word of this. */
  number: string
  /** The day that it is booked on. */
  date: string
  account: string
  /** A debit; a credit in a column of its own is the second. */
  amount: readonly [string, string?]
  /** What says the same in a reversal. */
  same: readonly string[]
}

export const IMPORTERS: Readonly<Record<string, Importer>> = {
  generic: {
    dataset: 'daily_sales_journal',
    number: 'journal_id',
    date: 'business_date',
    account: 'account_code',
    amount: ['debit', 'credit'],
    same: ['account_name', 'consumer_type', 'category', 'tender', 'authority', 'memo'],
  },
  qbo: {
    dataset: 'journal_qbo',
    number: 'JournalNo',
    date: 'JournalDate',
    account: 'AccountName',
    amount: ['Debits', 'Credits'],
    same: ['Description', 'Name', 'Location', 'Class'],
  },
  xero: {
    dataset: 'journal_xero',
    number: '*Narration',
    date: '*Date',
    account: '*AccountCode',
    amount: ['*Amount'],
    same: ['Description', '*TaxRate', 'TrackingName1', 'TrackingOption1'],
  },
  netsuite: {
    dataset: 'journal_netsuite',
    number: 'External ID',
    date: 'Date',
    account: 'Account',
    amount: ['Debit', 'Credit'],
    same: ['Memo', 'Subsidiary', 'Location', 'Class'],
  },
  iif: {
    dataset: 'journal_iif',
    number: 'DOCNUM',
    date: 'DATE',
    account: 'ACCNT',
    amount: ['AMOUNT'],
    same: ['MEMO', 'CLASS'],
  },
}

/** Months come first in all files but Xero's, which has the days first here. */
const dateOf = (text: string, format: string): string =>
  text.replace(/^(\d\d)\/(\d\d)\/(\d{4})$/, format === 'xero' ? '$3-$2-$1' : '$3-$1-$2')

/** The lines of an IIF file, by the names of its header. */
function readIif(text: string): Record<string, string>[] {
  const [header = [], ...rows] = text.split('\r\n').map(line => line.split('\t'))
  return rows
    .filter(([kind]) => kind === 'TRNS' || kind === 'SPL')
    .map(cells => Object.fromEntries(header.map((name, index) => [name, cells[index] ?? ''])))
}

/**
 * What somebody has who imported every file of a format that was ever given out, each once, in its
 * order; a file that was written again because nothing was imported yet takes the place of the
 * first.
 */
export function importAll(given: readonly Given[], format: string): Entry[] {
  const { dataset, number, date, account, amount, same } = IMPORTERS[format]!
  const [debit, credit] = amount
  const entries = new Map<string, Entry>()
  for (const file of given.filter(one => one.dataset === dataset)) {
    const text = file.bytes.toString('utf8')
    const rows = format === 'iif' ? readIif(text) : readCsv(text)
    for (const [name, own] of Map.groupBy(rows, row => row[number]!.split(' ').at(-1)!))
      entries.set(name, {
        number: name,
        date: dateOf(own[0]![date]!, format),
        lines: own.map(row => ({
          account: row[account]!,
          text: same.map(column => row[column]!.replaceAll(/(reversal|change) of /g, '')).join('|'),
          cents: cents(row[debit]) - cents(credit === undefined ? '0' : row[credit]),
        })),
      })
  }
  return [...entries.values()].toSorted((a, b) => placeOf(a) - placeOf(b))
}

/** Reversals come before the posting that goes with them. */
function placeOf({ number }: Entry): number {
  const [, letter, revision] = /([A-Z])(\d+)$/.exec(number)!
  return Number(revision) * 2 + (letter === 'R' ? 1 : 0)
}

const isReversal = ({ number }: Entry): boolean => !/R\d+$/.test(number)

/** Reversals that do not mirror, to the letter, one entry that stood before them. */
export function unmirrored(entries: readonly Entry[]): string[] {
  const told = ({ lines }: Entry, sign: number): string =>
    JSON.stringify(
      lines.map(line => JSON.stringify({ ...line, cents: line.cents * sign })).toSorted(),
    )
  const problems: string[] = []
  const standing: Entry[] = []
  for (const entry of entries) {
    if (isReversal(entry)) {
      const mirrored = standing.filter(one => told(one, 1) === told(entry, -1))
      const onItsDate = mirrored.findLast(({ date }) => date === entry.date)
      if (mirrored.length === 0) problems.push(`${entry.number} does not mirror what was posted`)
      if (onItsDate !== undefined) standing.splice(standing.indexOf(onItsDate), 1)
      else standing.push(entry)
    } else standing.push(entry)
  }
  return problems
}

/** Sums of all entries by account, without those that are 0. */
export function sumsOf(
  entries: readonly Entry[],
  codeOf: (account: string) => string,
): Map<string, number> {
  const sums = new Map<string, number>()
  for (const { account, cents: amount } of entries.flatMap(({ lines }) => lines))
    sums.set(codeOf(account), (sums.get(codeOf(account)) ?? 0) + amount)
  return new Map([...sums].filter(([, amount]) => amount !== 0))
}
