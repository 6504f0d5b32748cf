import type { JsonRecord } from '../model/collection.ts'
import type { Call } from '../routes/route.ts'
import { dayOf, dayStart } from '../values/calendar.ts'
import { cents, decimal } from '../values/money.ts'
import { isCannabis } from './price-cart.ts'
import { recordOf, recordsOf } from './values.ts'

/**
 * What a member may buy in a day, by kind of goods. Limits and their shape are not shown: these are
 * the usual adult and medical ones, in grams; `unit` goods count one gram a piece. They are told,
 * not enforced.
 */
const LIMITS = {
  adult: { flower: 2850, concentrate: 800 },
  medical: { flower: 22_680, concentrate: 800 },
} as const

type Kind = keyof (typeof LIMITS)['adult']

export function memberLimits(call: Call, member: JsonRecord, remaining: boolean): JsonRecord {
  const limits = String(member['consumerType']).startsWith('Medicinal')
    ? LIMITS.medical
    : LIMITS.adult
  const bought = remaining ? boughtToday(call, String(member['id'])) : { flower: 0, concentrate: 0 }
  const exempt = member['exemptFromLimits'] === true
  return {
    memberId: member['id'],
    consumerType: member['consumerType'],
    exemptFromLimits: exempt,
    unit: 'GRAM',
    flower: decimal(exempt ? limits.flower : Math.max(0, limits.flower - bought.flower)),
    concentrate: decimal(
      exempt ? limits.concentrate : Math.max(0, limits.concentrate - bought.concentrate),
    ),
  }
}

/** Hundredths of grams in today's completed sales, by the store's calendar. */
function boughtToday({ world, nowMs }: Call, memberId: string): Record<Kind, number> {
  const { transactions, products } = world.lists
  const { order } = transactions
  const bought = { flower: 0, concentrate: 0 }
  const startMs = dayStart(dayOf(nowMs, world.shop.timeZone), world.shop.timeZone)
  for (const number of order.slice(order.rankOf(startMs), order.length)) {
    const row = transactions.read(number)
    const ended = row['status'] === 'Completed' && Number(row['completedTime'] ?? 0) >= startMs
    if (row['memberId'] !== memberId || !ended) continue
    for (const item of recordsOf(recordOf(row['cart'])['items'])) {
      const product = products.get(String(item['productId']))
      if (product !== undefined && isCannabis(world, product))
        bought[kindOf(product)] += cents(item['quantity']) ?? 0
    }
  }
  return bought
}

const kindOf = (product: JsonRecord): Kind =>
  product['weightPerUnit'] === 'EACH' ? 'concentrate' : 'flower'
