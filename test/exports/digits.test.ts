import { createReadStream, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { parse } from 'fast-csv'
import { describe, expect, it } from 'vitest'
import { openDestination } from '../../connectors/sqlite/destination.ts'
import { decimal, defineStream, integer, text, timestamp } from '../../connectors/stream.ts'
import { parseManifest } from '../../exports/revisions/manifest.ts'
import type { ListContext } from '../../reading/context.ts'
import { readingEvidence } from '../../reading/prove-window.ts'
import { readWindow } from '../../reading/read-window.ts'
import { pageToStage, startReading, supersededRows } from '../../reading/reading.ts'
import { sized } from '../helpers/size.ts'
import { WINDOW, contextOf, endpointOf } from '../reading/list-server.ts'
import { createRandom } from '../reading/moving-list.ts'
import { exportHere, freshFolder, orderFor, queryParquet } from './order.ts'

/** Four numbers each: 20,000 values, or a million. */
const ROWS = sized(5_000, 250_000)
const PAGE = 1_000

const amounts = defineStream({
  name: 'amounts',
  singular: 'amount',
  title: 'amounts',
  path: '/api/amounts',
  windowing: 'milliseconds',
  offset: 'skip',
  pageCap: PAGE,
  cursor: 'modified',
  eventTimes: ['modified'],
  lookbackDays: 1,
  columns: {
    ...text('id'),
    ...timestamp('modified'),
    ...decimal('price', 'wide', 'rate'),
    ...integer('counter'),
  },
  children: {},
})
const NUMBERS = ['price', 'wide', 'rate', 'counter'] as const
type Tokens = Record<(typeof NUMBERS)[number], string>

/**
 * The numbers of one record as the wire writes them: cents, up to 32 digits, exponents, and
 * integers of 64 bits.
 */
function tokensOf(index: number): Tokens {
  const { int, share } = createRandom(0x5eed + index)
  const digits = (count: number): string => Array.from({ length: count }, () => int(0, 9)).join('')
  const whole = (count: number): string => digits(count).replace(/^0+(?=\d)/, '')
  const sign = (): string => (share() < 0.3 ? '-' : '')
  const [price, counter] = [
    `${sign()}${whole(int(1, 7))}.${digits(2)}`,
    BigInt.asIntN(
      64,
      BigInt(`0x${Array.from({ length: 16 }, () => int(0, 15).toString(16)).join('')}`),
    ),
  ]
  const fraction = (most: number): string => `.${digits(int(1, most))}`
  const exponent = (): string => `${share() < 0.5 ? 'e' : 'E'}${int(-5, 5)}`
  const maybe = (part: () => string): string => (share() < 0.5 ? '' : part())
  return {
    // Some servers write money as text.
    price: share() < 0.1 ? `"${price}"` : price,
    wide: `${sign()}${whole(int(1, 24))}${share() < 0.2 ? '' : fraction(8)}`,
    rate: `${sign()}${whole(int(1, 3))}${maybe(() => fraction(3))}${maybe(exponent)}`,
    counter: String(counter),
  }
}

/** A number of a Parquet file: what its type does not hold stands beside it. */
const exactText = (name: string): string =>
  `coalesce(exact_decimals->>'$.${name}', ${name}::VARCHAR)`

const idOf = (index: number): string => `a${String(index).padStart(7, '0')}`

function pageFrom(offset: number): Buffer {
  const records = Array.from({ length: Math.max(0, Math.min(PAGE, ROWS - offset)) }, (_, at) => {
    const tokens = tokensOf(offset + at)
    const numbers = NUMBERS.map(name => `"${name}":${tokens[name]}`).join(',')
    return `{"id":"${idOf(offset + at)}","modified":1500,${numbers}}`
  })
  return Buffer.from(`{"values":[${records.join(',')}],"total":${ROWS}}`)
}

/** The value of a token over 10^20, by the book: another way than the code under test. */
const SCALE = 20
function valueOf(token: string): bigint {
  const [mantissa = '', exponent = '0'] = token.replaceAll('"', '').toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const value = BigInt(whole + fraction) * 10n ** BigInt(SCALE - fraction.length + Number(exponent))
  return mantissa.startsWith('-') ? -value : value
}

/**
 * Sums of what came over the wire, and of what stands in a place where it went; values are compared
 * one by one on the way.
 */
class Tally {
  readonly sums = new Map<string, bigint>()
  rows = 0
  wrong: string[] = []

  add(found: Readonly<Record<string, string | null>>, sameText: boolean): void {
    const tokens = tokensOf(this.rows)
    for (const name of NUMBERS) {
      const [token, given] = [tokens[name].replaceAll('"', ''), found[name] ?? '']
      const value = /^-?\d/.test(given) ? valueOf(given) : undefined
      if (
        found['id'] !== idOf(this.rows) ||
        value !== valueOf(token) ||
        (sameText && given !== token)
      )
        this.wrong.push(`${found['id'] ?? '?'}.${name}: ${token} -> ${given}`)
      this.sums.set(name, (this.sums.get(name) ?? 0n) + (value ?? 0n))
    }
    this.rows++
  }
}

/** Over real HTTP, through client, page reader, proof and writing thread. */
async function load(path: string): Promise<void> {
  const endpoint = await endpointOf(query => pageFrom(Number(query.get('skip') ?? 0)), {
    stream: amounts,
  })
  const destination = await openDestination(path, [amounts])
  try {
    const reading = startReading('reading')
    const context: ListContext = {
      ...contextOf(endpoint),
      keepPage: (page, number) => destination.windows.stage(pageToStage(reading.id, page, number)),
    }
    const verdict = await readWindow(context, reading)
    expect(verdict.status).toBe('proven')
    const { superseded, rows } = supersededRows(reading.staged)
    const { counts } = await destination.windows.commit({
      reading: reading.id,
      store: 'downtown',
      stream: 'amounts',
      window: { start: '1970-01-01T00:00:01.000Z', end: '1970-01-01T00:00:02.000Z' },
      status: 'proven',
      evidence: readingEvidence(context, reading),
      superseded,
      fetched: rows,
      findings: [],
      readAt: '2026-03-08T00:00:00.000Z',
    })
    expect(counts).toMatchObject({ inserted: ROWS, deadLettered: 0 })
  } finally {
    await destination.close()
  }
}

describe('every digit of every number', () => {
  it(`is the same from the wire to SQLite, CSV and Parquet, and so are the sums: ${4 * ROWS} values (INV-6)`, async () => {
    const folder = freshFolder()
    await load(join(folder, 'tillage.db'))
    const wire = new Map(NUMBERS.map(name => [name, 0n]))
    for (let index = 0; index < ROWS; index++)
      for (const name of NUMBERS) wire.set(name, wire.get(name)! + valueOf(tokensOf(index)[name]))

    const stored = new Tally()
    const database = new Database(join(folder, 'tillage.db'), { readonly: true })
    for (const row of database
      .prepare(
        'SELECT id, price, wide, rate, CAST(counter AS TEXT) AS counter FROM amounts ORDER BY id',
      )
      .iterate())
      stored.add(row as Record<string, string>, true)
    database.close()

    const range = { startMs: WINDOW.widest.startMs, endMs: WINDOW.widest.endMs }
    const { files, manifest } = await exportHere(
      orderFor(folder, {
        streams: [amounts],
        datasets: ['amounts'],
        formats: ['csv', 'parquet'],
        range,
        proof: {},
      }),
    )
    const pathOf = (format: string): string => files.find(file => file.format === format)!.path
    const csv = new Tally()
    for await (const row of createReadStream(pathOf('csv')).pipe(
      parse({ headers: names => names.map(name => name?.replace('\uFEFF', '')) }),
    ))
      csv.add(row as Record<string, string>, false)
    const parquet = new Tally()
    const cells = NUMBERS.map(exactText)
    for (const [id, ...numbers] of await queryParquet(
      `SELECT id, ${cells.join(', ')} FROM read_parquet('${pathOf('parquet')}') ORDER BY id`,
    ))
      parquet.add(
        { id: id ?? '', ...Object.fromEntries(NUMBERS.map((name, at) => [name, numbers[at]!])) },
        false,
      )

    for (const [place, tally] of Object.entries({ stored, csv, parquet })) {
      expect(tally.wrong.slice(0, 5), place).toEqual([])
      expect(tally.rows, place).toBe(ROWS)
      expect(tally.sums, place).toEqual(wire)
    }
    // What others add up: our manifest, and DuckDB over the file.
    const told = parseManifest(readFileSync(manifest, 'utf8'))!.datasets[0]!.sums
    const sums = NUMBERS.map(name => {
      const type = `DECIMAL(38,${name === 'counter' ? 0 : 10})`
      return `sum(${exactText(name)}::${type})::VARCHAR`
    })
    const [added] = await queryParquet(
      `SELECT ${sums.join(', ')} FROM read_parquet('${pathOf('parquet')}')`,
    )
    NUMBERS.forEach((name, at) => {
      expect(valueOf(added![at]!), `${name} by DuckDB`).toBe(wire.get(name))
      if (name !== 'counter')
        expect(valueOf(told[name]!), `${name} in the manifest`).toBe(wire.get(name))
    })
  })

  it('would be lost by a reader that takes numbers for doubles, which the same comparison sees', () => {
    const throughDoubles = new Tally()
    for (let index = 0; index < 1000; index++) {
      const tokens = tokensOf(index)
      throughDoubles.add(
        {
          id: idOf(index),
          ...Object.fromEntries(NUMBERS.map(name => [name, String(JSON.parse(tokens[name]))])),
        },
        false,
      )
    }
    const lost = (name: string): number =>
      throughDoubles.wrong.filter(place => place.includes(`.${name}:`)).length
    expect(lost('counter')).toBeGreaterThan(900)
    expect(lost('wide')).toBeGreaterThan(300)
    expect(lost('price')).toBe(0)
  })
})
