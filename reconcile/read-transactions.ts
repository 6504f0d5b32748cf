import Database from 'better-sqlite3'
import { auditRetries } from '../audit/store-api.ts'
import type { StoreApi } from '../audit/store-api.ts'
import { DAY_MS, toIso } from '../calendar/days.ts'
import { tile, wireRange } from '../calendar/windows.ts'
import { createEndpoint } from '../connectors/partner/endpoint.ts'
import { transactions as stream } from '../connectors/partner/streams/transactions.ts'
import { withRetries } from '../connectors/partner/with-retries.ts'
import { TillageError } from '../errors.ts'
import { parseRecord } from '../exports/books/record.ts'
import type { Fields } from '../exports/books/record.ts'
import type { KeepPage, ListContext } from '../reading/context.ts'
import { readWindow } from '../reading/read-window.ts'
import { startReading } from '../reading/reading.ts'
import type { FinalVerdict } from '../reading/reading.ts'

/** What the tills did in a time, whole: every window of it is proven, with its evidence (INV-1). */
export interface ProvenTransactions {
  transactions: Fields[]
  windows: { start: string; end: string; by: string }[]
}

/** Reads until now and a little beyond: what happens while it is read belongs to it. */
export async function readTransactions(
  api: StoreApi,
  { fromMs, nowMs, timeZone }: { fromMs: number; nowMs: number; timeZone: string },
  signal: AbortSignal,
): Promise<ProvenTransactions> {
  const { client, governor } = api
  const endpoint = createEndpoint(stream, { client, governor, concurrency: 4 })
  const byId = new Map<string, Fields>()
  const windows: ProvenTransactions['windows'] = []
  const range = { startMs: fromMs, endMs: nowMs + DAY_MS }
  for (const window of tile(range, timeZone, stream.windowing)) {
    const wire = wireRange(window, timeZone, stream.windowing)
    const [start, end] = [toIso(window.startMs), toIso(window.endMs)]
    const { records, verdict } = await readProven({ endpoint, wire, signal })
    if (verdict.status !== 'proven') throw unproven(`${start} to ${end}`, verdict.reason)
    for (const record of records) byId.set(String(record['id']), record)
    windows.push({ start, end, by: verdict.by })
  }
  return { transactions: [...byId.values()], windows }
}

/** An attempt that fails keeps what it has read, and the next one goes on. */
async function readProven(
  context: Omit<ListContext, 'keepPage'>,
): Promise<{ records: Fields[]; verdict: FinalVerdict }> {
  const reading = startReading('movement')
  const records: Fields[] = []
  const keepPage: KeepPage = async ({ body, listPath }) =>
    void records.push(...recordsOf(body, listPath))
  const read = (): Promise<FinalVerdict> => readWindow({ ...context, keepPage }, reading)
  return { verdict: await withRetries(read, auditRetries(context.signal)), records }
}

const unproven = (range: string, reason: string): TillageError =>
  new TillageError(
    'MOVEMENT_UNPROVEN',
    `the transactions from ${range} could not be proven (${reason})`,
    {
      remedy: [
        'What moved since the count is not known, so nothing is planned. Try again when the',
        'store is quiet; tillage doctor says how the list behaves.',
      ].join(' '),
    },
  )

const memory = new Database(':memory:')
const records = memory
  .prepare<[Uint8Array, string], string>('SELECT json(value) FROM jsonb_each(?, ?)')
  .pluck()

/** The records of a page, digit by digit. */
const recordsOf = (body: Uint8Array, listPath: string): Fields[] =>
  records.all(body, listPath).map(parseRecord)
