import { DAY_MS, toIso } from '../calendar/days.ts'
import { tile, wireRange } from '../calendar/windows.ts'
import { transactions as stream } from '../connectors/partner/streams/transactions.ts'
import { PartnerError, TillageError } from '../errors.ts'
import { isUnread, proveList } from '../reading/prove-list.ts'
import { parseRecord } from '../text/record-fields.ts'
import type { Fields } from '../text/record-fields.ts'
import { AUDIT_RETRIES } from './store-api.ts'
import type { StoreApi } from './store-api.ts'

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
  const endpoint = api.endpoint(stream)
  const byId = new Map<string, Fields>()
  const windows: ProvenTransactions['windows'] = []
  const range = { startMs: fromMs, endMs: nowMs + DAY_MS }
  for (const window of tile(range, timeZone, stream.windowing)) {
    const wire = wireRange(window, timeZone, stream.windowing)
    const [start, end] = [toIso(window.startMs), toIso(window.endMs)]
    const list = { endpoint, wire, signal, retries: AUDIT_RETRIES }
    const { records, by } = await proveList(list).catch((error: unknown) => {
      throw unproven(`${start} to ${end}`, error)
    })
    for (const record of records.map(parseRecord)) byId.set(String(record['id']), record)
    windows.push({ start, end, by })
  }
  return { transactions: [...byId.values()], windows }
}

/** The API's own failures stay what they are. */
function unproven(range: string, error: unknown): unknown {
  if (!isUnread(error) || error instanceof PartnerError) return error
  const why = `the transactions from ${range} could not be proven: ${error.message}`
  return new TillageError('MOVEMENT_UNPROVEN', why, {
    remedy: [
      'What moved since the count is not known, so nothing is planned. Try again when the',
      'store is quiet; tillage doctor says how the list behaves.',
    ].join(' '),
  })
}
