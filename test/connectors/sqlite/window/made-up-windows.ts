import type { CommittedWindow } from '../../../../connectors/destination/windows.ts'
import { transactions } from '../../../../connectors/partner/streams/transactions.ts'
import { pageOf } from '../page-of.ts'
import type { StagingStore } from '../staging-store.ts'

export const WINDOWS = 8
const PAGES = 4
const ROWS = 60

/**
 * Windows of transactions with lines, some of them in two windows, one of them bad; the same ones
 * every time.
 */
function recordsOf(window: number, page: number): string[] {
  return Array.from({ length: ROWS }, (_, row) => {
    const number = window * PAGES * ROWS + page * ROWS + row - (row < 5 ? ROWS : 0)
    const total = page === 0 && row === 7 ? 'a lot' : `${number}.10`
    return JSON.stringify({
      id: `t${number}`,
      modified: 1_772_409_600_000 + window,
      cart: {
        total,
        items: [
          { productId: `p${row}`, quantity: 1 },
          { productId: 'q', quantity: 2 },
        ],
      },
      payments: [{ id: `pay${number}` }],
    })
  })
}

export function commitWindow(store: StagingStore, window: number): CommittedWindow {
  for (let page = 0; page < PAGES; page++)
    store.stage(pageOf(transactions, recordsOf(window, page), 'r', page))
  const day = (count: number): string => new Date(Date.UTC(2026, 0, 1 + count)).toISOString()
  return store.commit({
    reading: 'r',
    store: 'downtown',
    stream: 'transactions',
    window: { start: day(window), end: day(window + 1) },
    status: 'proven',
    evidence: { window },
    superseded: {},
    fetched: PAGES * ROWS,
    findings: [],
    readAt: day(window),
  })
}
