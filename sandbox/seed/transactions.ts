import { makeIds } from '../values/ids.ts'
import { Dice, mix } from '../values/random.ts'
import type { Cart, Line } from './cart.ts'
import { fillCart, returnLines } from './cart.ts'
import type { Catalog } from './catalog.ts'
import { ID_TAGS } from './catalog.ts'
import type { Member, Members } from './members.ts'
import type { PaymentOption, Payment } from './payments.ts'
import { feeOf, pickOption, settle } from './payments.ts'
import type { Stock } from './stock.ts'
import type { Shop } from './stores.ts'

export type TransactionType = 'Sale' | 'Refund' | 'Reconciliation' | 'Transfer'

/** One transaction in numbers, before it becomes text. */
export interface Transaction {
  number: number
  id: string
  type: TransactionType
  status: 'Completed' | 'Canceled' | 'Hold'
  parentId: string | undefined
  member: Member | undefined
  delivery: boolean
  employee: number
  terminal: number
  created: number
  completed: number
  modified: number
  deleted: boolean
  cart: Cart | undefined
  option: PaymentOption
  payments: readonly Payment[]
  /** Refunds: whether the goods went back into stock. */
  restocked: boolean
}

export interface Transactions {
  count: number
  idOf(number: number): string
  numberOf(id: string): number | undefined
  modifiedOf(number: number): number
  transaction(number: number): Transaction
}

/**
 * The tills of one store. Nothing is kept: transaction n follows from the seed and n, so a store of
 * a million costs no more than a store of ten.
 */
export function makeTransactions(
  shop: Shop,
  catalog: Catalog,
  stock: Stock,
  members: Members,
): Transactions {
  const seed = mix(shop.seed, 0x7a11)
  const ids = makeIds(shop.seed, ID_TAGS.transaction)
  const { timeline } = shop

  const typeOf = (number: number): TransactionType => {
    const point = mix(seed ^ 0x7e, number) % 1000
    return point < 970
      ? 'Sale'
      : point < 990
        ? number < 40
          ? 'Sale'
          : 'Refund'
        : point < 995
          ? 'Reconciliation'
          : 'Transfer'
  }
  const createdAt = (number: number): number =>
    Math.min(timeline.createdAt(number, mix(seed, number)), timeline.endMs - 2)
  const completedAt = (number: number): number =>
    Math.min(
      createdAt(number) + 90_000 + (mix(seed ^ 0xc0, number) % 1_200_000),
      timeline.endMs - 2,
    )
  const modifiedOf = (number: number): number =>
    timeline.modifiedAfter(completedAt(number), mix(seed ^ 0xed, number))

  /** A sale before this one, mostly of the same days. */
  const parentOf = (number: number): number => {
    const back = new Dice(mix(seed ^ 0xba, number))
    for (let tries = 0; tries < 50; tries++) {
      const candidate = number - 1 - back.below(Math.min(number, 600))
      if (typeOf(candidate) === 'Sale' && statusOf(candidate) === 'Completed') return candidate
    }
    return 0
  }
  const statusOf = (number: number): Transaction['status'] => {
    const point = mix(seed ^ 0x57a, number) % 1000
    return number === 0 || point >= 10 ? 'Completed' : point < 6 ? 'Canceled' : 'Hold'
  }

  const sale = (
    number: number,
    dice: Dice,
    created: number,
  ): { cart: Cart; member: Member | undefined; option: PaymentOption; delivery: boolean } => {
    const joined = members.joinedBy(created)
    const member = joined > 0 && dice.chance(0.72) ? members.all[dice.below(joined)] : undefined
    const delivery = member !== undefined && dice.chance(0.06)
    const option = pickOption(dice)
    const cart = fillCart(shop, catalog, stock, created, dice, {
      medical: member !== undefined && member.consumerType !== 'AdultUse',
      member: member !== undefined,
      delivery,
      cardFee: feeOf(option),
      step: option === 'Cash' ? shop.cashStep : 1,
    })
    return { cart, member, option, delivery }
  }

  const refund = (
    number: number,
    dice: Dice,
  ): { cart: Cart; parent: number; member: Member | undefined } => {
    const parent = parentOf(number)
    const sold = sale(parent, new Dice(mix(seed ^ 0xd1ce, parent)), createdAt(parent))
    const lines: readonly Line[] = dice.chance(0.5) ? sold.cart.lines : sold.cart.lines.slice(0, 1)
    return { cart: returnLines(sold.cart, lines, shop.cashStep), parent, member: sold.member }
  }

  return {
    count: timeline.count,
    idOf: number => ids.of(number),
    numberOf: id => ids.numberOf(id),
    modifiedOf,
    transaction: number => {
      const dice = new Dice(mix(seed ^ 0xd1ce, number))
      const type = typeOf(number)
      const created = createdAt(number)
      const status = type === 'Sale' ? statusOf(number) : 'Completed'
      const base = {
        number,
        id: ids.of(number),
        type,
        status,
        created,
        completed: completedAt(number),
        modified: modifiedOf(number),
        deleted: mix(seed ^ 0xde1, number) % 500 === 0,
        employee: mix(seed ^ 0x5e1, number) % catalog.employees.length,
        terminal: mix(seed ^ 0x7e2, number) % catalog.terminals.length,
      }
      if (type === 'Sale') {
        const sold = sale(number, dice, created)
        const payments =
          status === 'Hold'
            ? []
            : settle(sold.option, sold.cart.total, sold.cart.cardFee, sold.delivery, dice)
        return { ...base, ...sold, parentId: undefined, payments, restocked: status === 'Canceled' }
      }
      if (type === 'Refund') {
        const { cart, parent, member } = refund(number, dice)
        const payments = [
          { tender: 'Cash' as const, paid: cart.total, fee: 0, tip: 0, change: 0, cashBack: 0 },
        ]
        return {
          ...base,
          cart,
          member,
          parentId: ids.of(parent),
          delivery: false,
          option: 'Cash',
          payments,
          restocked: dice.chance(0.6),
        }
      }
      return {
        ...base,
        cart: undefined,
        member: undefined,
        parentId: undefined,
        delivery: false,
        option: 'Cash',
        payments: [],
        restocked: false,
      }
    },
  }
}
