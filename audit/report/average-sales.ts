import { DAY_MS } from '../../calendar/days.ts'
import { amountText, toAmount } from '../../money/amount.ts'
import type { Amount } from '../../money/amount.ts'
import type { AverageSales } from './summary.ts'

const MONTH_MS = 30.4375 * DAY_MS

/** A sale or refund that is held, as the API wrote it. */
interface Sold {
  total: string
  isRefund: boolean
  atMs: number
}

/**
 * What a store sells in an average month, of so many before an instant, or of the time since its
 * first sale that is held: days on which it sold nothing count as well. Less than two weeks say
 * nothing of a month.
 */
export function averageSales(
  sold: readonly Sold[],
  untilMs: number,
  months: number,
): AverageSales | undefined {
  const fromMs = untilMs - months * MONTH_MS
  const held = sold.filter(one => one.atMs >= fromMs && one.atMs <= untilMs)
  const firstMs = sold.reduce((first, { atMs }) => Math.min(first, atMs), untilMs)
  const sinceMs = Math.max(firstMs, fromMs)
  const days = Math.round((untilMs - sinceMs) / DAY_MS)
  if (days < 14) return undefined
  let total: Amount = 0n
  for (const one of held) {
    const amount = toAmount(one.total) ?? 0n
    total += one.isRefund && amount > 0n ? -amount : amount
  }
  const perMonth = (total * BigInt(Math.round(MONTH_MS))) / BigInt(untilMs - sinceMs)
  const cents = amountText((perMonth / 10n ** 10n) * 10n ** 10n)
  return {
    perMonth,
    detail: `${cents}, of the ${days} days before the snapshot that the database holds`,
  }
}
