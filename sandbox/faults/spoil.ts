import { parseExactly } from '../values/money.ts'
import { mix, mixText } from '../values/random.ts'

/** A decimal that every record of the list has, to be replaced by a text. */
const DECIMALS: Readonly<Record<string, readonly string[]>> = {
  transactions: ['pointsEarned'],
  batches: ['quantity'],
  members: ['loyaltyPoints'],
  purchase_orders: ['grandTotal'],
  products: ['unitPrice'],
  vendors: ['credits'],
}

const ONE_IN = 500

/**
 * What is wrong with a record under the profile `bad-records`: always the same for the same record.
 */
export function flawOf(
  list: string,
  number: number,
  seed: number,
): 'no id' | 'text for decimal' | undefined {
  const chance = mix(mixText(seed ^ 0xbad, list), number)
  if (chance % ONE_IN !== 0) return undefined
  return Math.floor(chance / ONE_IN) % 4 === 0 ? 'no id' : 'text for decimal'
}

export function spoil(list: string, number: number, text: string, seed: number): string {
  const flaw = flawOf(list, number, seed)
  if (flaw === undefined) return text
  const record = parseExactly(text) as Record<string, unknown>
  if (flaw === 'no id') delete record['id']
  else for (const field of DECIMALS[list] ?? []) record[field] = 'n/a'
  return JSON.stringify(record)
}
