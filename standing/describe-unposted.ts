import type { UnpostedDay } from '../books/unposted-days.ts'

/** What a day says beyond its journal, and the command that posts it. */
export const describeUnposted = ({ store, day, amount, accounts, heldBy }: UnpostedDay): string => {
  const journal = `tillage journal --store ${store} --date ${day}`
  const net = accounts.map(one => `${one.account} ${one.amount}`).join(', ')
  const what = `${day} has changed since its journal`
  return heldBy === undefined
    ? `${what}; ${amount} is not posted (${net === '' ? 'within accounts' : net}): ${journal}`
    : `${what}, and its next journal is held back (${heldBy}): ${journal} --dry-run`
}
