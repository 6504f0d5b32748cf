/**
 * The API of the duel: `node bench/server.ts RECORDS`. One list of transactions, oldest `modified`
 * first, made before the first request, so that serving costs little more than sending bytes:
 *
 * - `/list?skip=&limit=` is the whole list, for the peers;
 * - `/api/v1/partner/transactions` is the same list in windows of store days, for Tillage;
 * - `/_/set?perSecond=&latencyMs=` changes the limit and the latency while it runs;
 * - `/_/facts` says what the list holds and what was asked of it.
 */
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readOptions } from '../sandbox/options.ts'
import { makeNested } from '../sandbox/seed/nested.ts'
import { makeSeeds } from '../sandbox/seed/seeds.ts'
import { makeShops } from '../sandbox/seed/stores.ts'
import type { Shop } from '../sandbox/seed/stores.ts'
import { TransactionWriter } from '../sandbox/seed/transaction-json.ts'
import type { Transaction } from '../sandbox/seed/transactions.ts'
import { JsonWriter } from '../sandbox/values/json-writer.ts'

const UNTIL = '2026-03-31'
const A_DAY = 1000
const MOST_A_PAGE = 100

/** What the list holds: a contender that has other counts lost rows or has some twice. */
export interface Held {
  transactions: number
  lines: number
  payments: number
  /** Of `modified`, the last nine digits of it: tells two lists of the same length apart. */
  modifiedSum: number
}

/** Answered and refused requests of one second, and the limit that held in it. */
export interface Second {
  at: number
  answered: number
  refused: number
  limit: number
}

export interface Facts {
  held: Held
  timeZone: string
  /** First and last store day with a record. */
  days: readonly [string, string]
  requests: number
  refused: number
  cpuSeconds: number
  seconds: readonly Second[]
}

/** The records of the list, back to back in one file that has no name any more. */
class RecordFile {
  readonly held: Held = { transactions: 0, lines: 0, payments: 0, modifiedSum: 0 }
  /** Number of the first record of each store day, in order of the days. */
  readonly firstOfDay = new Map<string, number>()
  private readonly descriptor: number
  private readonly ends: number[] = []

  constructor() {
    const folder = mkdtempSync(join(tmpdir(), 'tillage-bench-'))
    this.descriptor = openSync(join(folder, 'records'), 'wx+')
    rmSync(folder, { recursive: true })
  }

  add(json: Uint8Array, transaction: Transaction, day: string): void {
    writeSync(this.descriptor, json)
    this.ends.push((this.ends.at(-1) ?? 0) + json.length)
    if (!this.firstOfDay.has(day)) this.firstOfDay.set(day, this.held.transactions)
    this.held.transactions++
    this.held.lines += transaction.cart?.lines.length ?? 0
    this.held.payments += transaction.payments.length
    this.held.modifiedSum += transaction.modified % 1e9
  }

  /** The JSON of the records from one number to another, with a comma after each but the last. */
  read(from: number, to: number): Buffer {
    if (to <= from) return Buffer.alloc(0)
    const start = this.ends[from - 1] ?? 0
    const bytes = Buffer.allocUnsafe(this.ends[to - 1]! - start)
    readSync(this.descriptor, bytes, 0, bytes.length, start)
    return bytes.subarray(0, -1)
  }

  close(): void {
    closeSync(this.descriptor)
  }
}

/** The sandbox's transactions by `modified`; none is deleted, so that every contender keeps all. */
function makeRecords(count: number): { records: RecordFile; shop: Shop } {
  const days = Math.ceil(count / A_DAY)
  const settings = readOptions({ stores: 1, days, until: UNTIL, transactionsPerDay: A_DAY })
  const shop = makeShops(settings)[0]!
  const { catalog, transactions } = makeSeeds(shop)
  const writer = new TransactionWriter(
    shop,
    catalog,
    makeNested(shop, catalog),
    settings.recordBytes,
  )
  const records = new RecordFile()
  const dayOf = new Intl.DateTimeFormat('en-CA', { timeZone: shop.timeZone })
  const numbers = Array.from({ length: transactions.count }, (_, number) => number)
  const modified = Float64Array.from(numbers, number => transactions.modifiedOf(number))
  for (const number of numbers.sort((a, b) => modified[a]! - modified[b]!)) {
    const transaction = { ...transactions.transaction(number), deleted: false }
    const out = new JsonWriter()
    writer.write(out, transaction, -1)
    out.raw(Buffer.from(','))
    records.add(out.copy(0), transaction, dayOf.format(transaction.modified))
  }
  return { records, shop }
}

/** A token bucket of one second's requests; 0 is no limit. */
class Limit {
  perSecond = 0
  private tokens = 0
  private filledMs = Date.now()

  set(perSecond: number): void {
    this.perSecond = perSecond
    this.tokens = perSecond
  }

  take(): boolean {
    if (this.perSecond === 0) return true
    const nowMs = Date.now()
    const gained = ((nowMs - this.filledMs) / 1000) * this.perSecond
    this.tokens = Math.min(this.perSecond, this.tokens + gained)
    this.filledMs = nowMs
    if (this.tokens < 1) return false
    this.tokens--
    return true
  }
}

const { records, shop } = makeRecords(Number(process.argv[2] ?? 100_000))
const limit = new Limit()
const seconds: Second[] = []
let latencyMs = 0
let requests = 0
let refused = 0

function send(response: ServerResponse, body: Buffer | string, status = 200): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}

/** MM/DD/YYYY of the API as yyyy-MM-dd. */
const isoDay = (day: string): string => `${day.slice(6)}-${day.slice(0, 2)}-${day.slice(3, 5)}`

/** Numbers of the records of the days from one to another, both included. */
function findWindow(query: URLSearchParams): { from: number; to: number } {
  const all = { from: 0, to: records.held.transactions }
  const [first, last] = [query.get('startDate'), query.get('endDate')]
  if (first === null || last === null) return all
  const starts = [...records.firstOfDay]
  const from = starts.find(([day]) => day >= isoDay(first))?.[1] ?? all.to
  const to = starts.find(([day]) => day > isoDay(last))?.[1] ?? all.to
  return { from, to }
}

function answerList(response: ServerResponse, query: URLSearchParams): void {
  const { from, to } = findWindow(query)
  const skip = Number(query.get('skip') ?? query.get('start') ?? 0)
  const pageSize = Math.min(MOST_A_PAGE, Number(query.get('limit') ?? MOST_A_PAGE))
  const values = records.read(from + skip, Math.min(to, from + skip + pageSize))
  const end = `],"skip":${skip},"limit":${pageSize},"total":${to - from}}`
  send(response, Buffer.concat([Buffer.from('{"values":['), values, Buffer.from(end)]))
}

function answerStore(response: ServerResponse): void {
  // Whose records these are: rows of another company are refused.
  const { shopId: id, companyId, timeZone } = shop
  const answered = { id, companyId, name: 'Duel', timeZone }
  send(response, JSON.stringify({ shop: answered, companyLogoURL: '' }))
}

function answerControl(response: ServerResponse, path: string, query: URLSearchParams): void {
  if (path === '/_/set') {
    limit.set(Number(query.get('perSecond') ?? 0))
    latencyMs = Number(query.get('latencyMs') ?? 0)
    return send(response, '{}')
  }
  const { user, system } = process.cpuUsage()
  const days = [...records.firstOfDay.keys()]
  const facts: Facts = {
    held: records.held,
    timeZone: shop.timeZone,
    days: [days[0]!, days.at(-1)!],
    requests,
    refused,
    cpuSeconds: (user + system) / 1e6,
    seconds,
  }
  send(response, JSON.stringify(facts))
}

function currentSecond(): Second {
  const at = Math.floor(Date.now() / 1000)
  const last = seconds.at(-1)
  if (last?.at === at) return last
  const second = { at, answered: 0, refused: 0, limit: limit.perSecond }
  seconds.push(second)
  return second
}

function handle(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url!, 'http://localhost')
  if (pathname.startsWith('/_/')) return answerControl(response, pathname, searchParams)
  const second = currentSecond()
  if (!limit.take()) {
    refused++
    second.refused++
    return send(response, '{"message":"slow down"}', 429)
  }
  requests++
  second.answered++
  const answer = (): void => {
    if (pathname === '/api/v1/partner/store') return answerStore(response)
    if (pathname === '/list' || pathname === '/api/v1/partner/transactions')
      return answerList(response, searchParams)
    send(response, '{"values":[],"skip":0,"limit":100,"total":0}')
  }
  if (latencyMs === 0) answer()
  else setTimeout(answer, latencyMs)
}

const server = createServer(handle)
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }))
})
process.once('SIGTERM', () => {
  records.close()
  process.exit(0)
})
