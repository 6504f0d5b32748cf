import { T1, T2, T3 } from './worked-example.ts'
import type { wireOf } from './worked-example.ts'

/** Texts that CSV, Parquet or Excel could take for something else. */
const TEXTS = [
  'plain',
  'a|b',
  'with, comma',
  'with "quotes"',
  'two\nlines',
  'end\r',
  '=1+1',
  "'=1+1",
  '\t+1',
  '-5',
  '＠x',
  '\uFEFF=1',
  'n\0ul',
  '\0=1',
  'half \uD800 a pair',
  '\\ud800 and \\u0000 in letters',
  'Piña 🌿',
  '',
  ' ',
]

/**
 * Transactions of the worked example's day, no two alike: sales, refunds, what is not booked, texts
 * that need care, and decimals that their type does not hold.
 */
export function oddRecords(count: number): ReturnType<typeof wireOf>[] {
  const kinds = [T1, T2, T3, { ...T1, status: 'Void' }, { ...T2, transType: 'Wormhole' }]
  return Array.from({ length: count }, (_, index) => {
    const text = TEXTS[index % TEXTS.length]!
    const kind = kinds[index % kinds.length]!
    const cart = kind['cart'] as Record<string, unknown>
    return {
      ...kind,
      // Neither in the order of their numbers nor of their length.
      id: `T${(index * 7919) % 9973}`,
      transNo: text,
      memberId: index % 3 === 0 ? undefined : `M${index % 50}`,
      sellerId: text,
      parentTransactionId: index % 4 === 0 ? text : undefined,
      cart: {
        ...cart,
        deliveryFee: index % 97 === 0 ? 0.1234567 : 0,
        roundAmt: index % 101 === 0 ? '123456789012345.678901' : 0,
      },
    }
  })
}
