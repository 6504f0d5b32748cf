/**
 * Gift cards and ACH of a store. Fields are not shown: these are the contract's. A table of facts.
 */
import { decimal } from '../values/money.ts'
import { Dice, mix } from '../values/random.ts'
import type { Members } from './members.ts'
import type { Shop } from './stores.ts'

export const paymentCardRecords = (shop: Shop): object[] =>
  Array.from({ length: 12 }, (_, at) => ({
    cardNumber: String(6_010_000_000_000_000 + shop.index * 1_000_000 + at * 7919),
    type: 'GiftCard',
    active: true,
    balance: decimal(new Dice(mix(shop.seed, 0x61f + at)).pick([0, 1000, 2500, 5000, 10_000])),
  }))

export const achAccountRecords = (shop: Shop): object[] => [
  {
    name: `${shop.name} settlement`,
    provider: 'Example Bank Link',
    merchantId: `M-${1001 + shop.index}`,
    externalId: `ACH-${1001 + shop.index}`,
    active: true,
  },
]

const ACH_STATUSES = [
  'PENDING',
  'PENDING',
  'PENDING',
  'PENDING',
  'PENDING',
  'CAPTURED',
  'CAPTURED',
  'DENIED',
] as const

export function achTransactionRecords(shop: Shop, members: Members): object[] {
  return ACH_STATUSES.map((status, at) => {
    const dice = new Dice(mix(shop.seed, 0xac4 + at))
    return {
      status,
      chargeId: `ch_${mix(shop.seed, at).toString(36)}`,
      amount: decimal(dice.between(2000, 25_000)),
      memberId: dice.pick(members.all).id,
    }
  })
}
