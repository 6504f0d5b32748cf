import { DAY_MS, subtract } from '../../calendar/days.ts'
import type { Interval } from '../../calendar/days.ts'
import { amountText, toAmount } from '../../money/amount.ts'
import type { Amount } from '../../money/amount.ts'
import type { AverageSales } from './summary.ts'

export const MONTH_MS = 30.4375 * DAY_MS

/** A sale or refund that is held, as the API wrote it. */
interface Sold {
  total: string
  isRefund: boolean
  atMs: number
}

/**
 * What a store sells in an average month of this time, as far as it was read (`windows`) and not
 * before the first sale of all that are held: days on which it sold nothing count as well. Less
 * than two weeks say nothing of a month.
 */
export function averageSales(
  sold: readonly Sold[],
  time: Interval,
  windows: readonly Interval[],
): AverageSales | undefined {
  const firstMs = sold.reduce((first, { atMs }) => Math.min(first, atMs), time.endMs)
  const open = { startMs: Math.max(time.startMs, firstMs), endMs: time.endMs }
  const read = subtract(open, subtract(open, windows))
  const readMs = read.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0)
  const days = Math.round(readMs / DAY_MS)
  if (days < 14) return undefined
  const held = sold.filter(({ atMs }) =>
    read.some(({ startMs, endMs }) => startMs <= atMs && atMs < endMs),
  )
  let total: Amount = 0n
  for (const one of held) {
    const amount = toAmount(one.total) ?? 0n
    total += one.isRefund && amount > 0n ? -amount : amount
  }
  const perMonth = (total * BigInt(Math.round(MONTH_MS))) / BigInt(readMs)
  const cents = amountText((perMonth / 10n ** 10n) * 10n ** 10n)
  return {
    perMonth,
    detail: `${cents}, of the ${days} days before the snapshot that the database holds`,
  }
}
