import type { Ids } from '../values/ids.ts'
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
export function makeTransactions(shop: Shop, seeds: Goods): Transactions {
  const tills = new Tills(shop, seeds)
  const ids = makeIds(shop.seed, ID_TAGS.transaction)
  return {
    count: shop.timeline.count,
    idOf: number => ids.of(number),
    numberOf: id => ids.numberOf(id),
    modifiedOf: number => tills.modifiedOf(number),
    transaction: number => tills.transaction(number),
  }
}

/** What can be sold, and who buys. */
export interface Goods {
  catalog: Catalog
  stock: Stock
  members: Members
}

/** What was sold to whom, and how it was paid. */
type Sold = Pick<Transaction, 'member' | 'option' | 'delivery'> & { cart: Cart }

/** What is not the same for every transaction. */
type Contents = Pick<
  Transaction,
  'parentId' | 'member' | 'delivery' | 'cart' | 'option' | 'payments' | 'restocked'
>

class Tills {
  private readonly shop: Shop
  private readonly seeds: Goods
  private readonly seed: number
  private readonly ids: Ids

  constructor(shop: Shop, seeds: Goods) {
    this.shop = shop
    this.seeds = seeds
    this.seed = mix(shop.seed, 0x7a11)
    this.ids = makeIds(shop.seed, ID_TAGS.transaction)
  }

  modifiedOf(number: number): number {
    const chance = mix(this.seed ^ 0xed, number)
    return this.shop.timeline.modifiedAfter(this.completedAt(number), chance)
  }

  transaction(number: number): Transaction {
    const { seed, ids } = this
    const { employees, terminals } = this.seeds.catalog
    const dice = new Dice(mix(seed ^ 0xd1ce, number))
    const type = this.typeOf(number)
    const status = type === 'Sale' ? this.statusOf(number) : 'Completed'
    return {
      number,
      id: ids.of(number),
      type,
      status,
      created: this.createdAt(number),
      completed: this.completedAt(number),
      modified: this.modifiedOf(number),
      deleted: mix(seed ^ 0xde1, number) % 500 === 0,
      employee: mix(seed ^ 0x5e1, number) % employees.length,
      terminal: mix(seed ^ 0x7e2, number) % terminals.length,
      ...this.contents(number, type, status, dice),
    }
  }

  private contents(
    number: number,
    type: TransactionType,
    status: Transaction['status'],
    dice: Dice,
  ): Contents {
    if (type === 'Refund') return this.refund(number, dice)
    if (type !== 'Sale') return WITHOUT_GOODS
    const sold = this.sale(this.createdAt(number), dice)
    return {
      ...sold,
      parentId: undefined,
      payments: status === 'Hold' ? [] : settle(sold, dice),
      restocked: status === 'Canceled',
    }
  }

  private sale(created: number, dice: Dice): Sold {
    const { shop, seeds } = this
    const joined = seeds.members.joinedBy(created)
    const isMember = joined > 0 && dice.chance(0.72)
    const member = isMember ? seeds.members.all[dice.below(joined)] : undefined
    const delivery = member !== undefined && dice.chance(0.06)
    const option = pickOption(dice)
    const cart = fillCart(shop, seeds, dice, {
      ms: created,
      medical: member !== undefined && member.consumerType !== 'AdultUse',
      member: member !== undefined,
      delivery,
      cardFee: feeOf(option),
      step: option === 'Cash' ? shop.cashStep : 1,
    })
    return { cart, member, option, delivery }
  }

  private refund(number: number, dice: Dice): Contents {
    const parent = this.parentOf(number)
    const soldWith = new Dice(mix(this.seed ^ 0xd1ce, parent))
    const sold = this.sale(this.createdAt(parent), soldWith)
    const lines: readonly Line[] = dice.chance(0.5) ? sold.cart.lines : sold.cart.lines.slice(0, 1)
    const cart = returnLines(sold.cart, lines, this.shop.cashStep)
    return {
      cart,
      member: sold.member,
      parentId: this.ids.of(parent),
      delivery: false,
      option: 'Cash',
      payments: [{ tender: 'Cash', paid: cart.total, fee: 0, tip: 0, change: 0, cashBack: 0 }],
      restocked: dice.chance(0.6),
    }
  }

  private typeOf(number: number): TransactionType {
    const point = mix(this.seed ^ 0x7e, number) % 1000
    if (point < 970) return 'Sale'
    // The first ones have nothing before them that could come back.
    if (point < 990) return number < 40 ? 'Sale' : 'Refund'
    return point < 995 ? 'Reconciliation' : 'Transfer'
  }

  private statusOf(number: number): Transaction['status'] {
    const point = mix(this.seed ^ 0x57a, number) % 1000
    if (number === 0 || point >= 10) return 'Completed'
    return point < 6 ? 'Canceled' : 'Hold'
  }

  private createdAt(number: number): number {
    const { timeline } = this.shop
    return Math.min(timeline.createdAt(number, mix(this.seed, number)), timeline.endMs - 2)
  }

  private completedAt(number: number): number {
    const lasted = 90_000 + (mix(this.seed ^ 0xc0, number) % 1_200_000)
    return Math.min(this.createdAt(number) + lasted, this.shop.timeline.endMs - 2)
  }

  /** A sale before this one, mostly of the same days. */
  private parentOf(number: number): number {
    const back = new Dice(mix(this.seed ^ 0xba, number))
    for (let tries = 0; tries < 50; tries++) {
      const candidate = number - 1 - back.below(Math.min(number, 600))
      if (this.typeOf(candidate) === 'Sale' && this.statusOf(candidate) === 'Completed')
        return candidate
    }
    return 0
  }
}

/** Counts that were corrected, and goods that moved: no revenue. */
const WITHOUT_GOODS: Contents = {
  cart: undefined,
  member: undefined,
  parentId: undefined,
  delivery: false,
  option: 'Cash',
  payments: [],
  restocked: false,
}
