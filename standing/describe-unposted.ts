import type { UnpostedDay } from '../books/unposted-days.ts'
import { addDays } from '../calendar/days.ts'

/** What a day says beyond its journal, and the command that posts it. */
export const describeUnposted = ({ store, day, amount, accounts, heldBy }: UnpostedDay): string => {
  const journal = `tillage journal --store ${store} --date ${day}`
  const net = accounts.map(one => `${one.account} ${one.amount}`).join(', ')
  const what = `${day} has changed since its journal`
  return heldBy === undefined
    ? `${what}; ${amount} is not posted (${net === '' ? 'within accounts' : net}): ${journal}`
    : `${what}, and its next journal is held back (${heldBy}): ${journal} --dry-run`
}

/**
 * The same of days of one store, oldest first, and one command for more than two of them. It makes
 * the journals of days between them, too, where these have none.
 */
export function describeUnpostedDays(days: readonly UnpostedDay[]): string[] {
  const lines = days.map(describeUnposted)
  if (days.length < 3) return lines
  const [{ store, day: from }, last] = [days[0]!, days.at(-1)!]
  const range = `--from ${from} --to ${addDays(last.day, 1)}`
  const all = `these ${days.length} days, and those between them`
  return [...lines, `${all}: tillage journal --store ${store} ${range}`]
}
