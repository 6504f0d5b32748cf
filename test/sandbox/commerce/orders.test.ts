import { beforeEach, describe, expect, it } from 'vitest'
import {
  CART_STATUSES,
  TRACKING_STATUSES,
} from '../../../connectors/partner/contract/resources/cart.ts'
import type { Sandbox } from '../../../sandbox/server.ts'
import type { Row } from '../asking.ts'
import { ask, askJson, control, keysOf, sandboxWith, send } from '../asking.ts'
import { cents, checkMoney } from '../seed/identity.ts'

let sandbox: Sandbox
let product: Row
let member: Row
let consumer: Row

async function sends<T = Row>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await send(sandbox, method, path, body)
  if (answer.status !== 200)
    throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`)
  return (answer.text === '' ? undefined : JSON.parse(answer.text)) as T
}

async function refused(method: string, path: string, body?: unknown): Promise<[number, string]> {
  const answer = await send(sandbox, method, path, body)
  const error = JSON.parse(answer.text) as Record<string, string>
  expect(Object.keys(error)).toEqual(['field', 'message', 'errorType'])
  return [answer.status, error['field']!]
}

const onHand = async (): Promise<number> =>
  (
    (await askJson<Row>(sandbox, `/products/${product.id}`))['quantities'] as { quantity: number }[]
  ).reduce((sum, room) => sum + room.quantity, 0)
const get = (path: string): Promise<Row> => askJson<Row>(sandbox, path)
const prepare = (more: object = {}): Promise<Row> =>
  sends('POST', `/store/cart/prepare?cuid=${consumer.id}`, {
    cart: { items: [{ productId: product.id, quantity: 2 }] },
    ...more,
  })
const submit = async (more: object = {}): Promise<Row> =>
  sends('POST', `/store/cart/submitCart/${(await prepare(more)).id}`)

beforeEach(async () => {
  sandbox = await sandboxWith({ stores: 2, transactionsPerDay: 5, days: 7 })
  const { values } = await askJson<{ values: Row[] }>(sandbox, '/products')
  product = values.find(
    row =>
      row['active'] === true &&
      row['deleted'] === false &&
      Number(row['totalSellableQuantity']) > 20,
  )!
  member = await sends('POST', '/members', {
    firstName: 'Ada',
    lastName: 'Buyer',
    email: 'ada@mail.example',
  })
  consumer = await sends('POST', '/user/register', {
    firstName: 'Ada',
    lastName: 'Buyer',
    email: 'ada@mail.example',
    password: 'correct horse',
  })
})

describe('an order', () => {
  it('goes from a cart to a transaction with the fields of the seeded ones, takes goods and gives points', async () => {
    const before = await onHand()
    const cart = await submit({ pickupType: 'Pickup' })
    expect(cart).toMatchObject({
      cartStatus: 'Placed',
      trackingStatus: 'Placed',
      placed: true,
      memberId: member.id,
      consumerId: consumer.id,
    })
    const id = cart['transactionId'] as string
    expect(await get(`/transactions/${id}`)).toMatchObject({
      status: 'Queued',
      active: true,
      transType: 'Sale',
      memberId: member.id,
      consumerCartId: cart.id,
    })
    const held = await askJson<Row[]>(sandbox, `/store/consumer-order-qty/${product.id}/`)
    expect(held).toMatchObject([
      { active: true, submitted: true, quantity: 2, consumerCartId: cart.id },
    ])
    expect(await onHand()).toBe(before)

    const sale = await sends('POST', `/transactions/${id}/complete`, { paymentOption: 'Cash' })
    checkMoney(sale)
    expect(sale).toMatchObject({ status: 'Completed', active: false, trackingStatus: 'Delivered' })
    const lots = ((sale['cart'] as { items: Row[] }).items[0]!['quantityLogs'] as Row[]).reduce(
      (sum, lot) => sum + cents(lot['quantity']),
      0,
    )
    expect([lots, await onHand()]).toEqual([200, before - 2])
    expect(await askJson<Row[]>(sandbox, `/store/consumer-order-qty/${product.id}/`)).toMatchObject(
      [{ active: false }],
    )
    expect(await get(`/loyalty/points?memberId=${member.id}`)).toMatchObject({
      loyaltyPoints: sale['pointsEarned'],
      lifetimePoints: sale['pointsEarned'],
    })
    expect(await get(`/store/cart/${cart.id}?cuid=${consumer.id}`)).toMatchObject({
      cartStatus: 'Completed',
      trackingStatus: 'Delivered',
      completed: true,
    })

    const { values } = await askJson<{ values: Row[] }>(sandbox, '/transactions?days=7')
    const seeded = values.find(
      row =>
        row['transType'] === 'Sale' &&
        row['status'] === 'Completed' &&
        row.id !== id &&
        row['memberId'] !== undefined,
    )!
    const missing = (a: Row, b: Row): string[] =>
      Object.keys(a).filter(field => !(field in b) && field !== 'memo')
    expect(missing(seeded, sale)).toEqual([])
    expect(missing(seeded['cart'] as Row, sale['cart'] as Row)).toEqual([])
    expect(
      missing(
        (seeded['cart'] as { items: Row[] }).items[0]!,
        (sale['cart'] as { items: Row[] }).items[0]!,
      ),
    ).toEqual([])
    expect(missing((seeded['payments'] as Row[])[0]!, (sale['payments'] as Row[])[0]!)).toEqual([])
    expect(values.map(row => row.id)).toContain(id)
  })

  it('is tracked through every documented state', async () => {
    const seen = new Set<unknown>()
    const noteStates = async (cart: Row): Promise<void> => {
      const now = await get(`/store/cart/${cart.id}?cuid=${consumer.id}`)
      seen.add(now['cartStatus']).add(now['trackingStatus'])
    }
    const delivered = await prepare()
    await noteStates(delivered)
    await sends('POST', `/store/cart/submitCart/${delivered.id}`)
    const transaction = async (cart: Row): Promise<string> =>
      `/transactions/${(await get(`/store/cart/${cart.id}?cuid=${consumer.id}`))['transactionId'] as string}`
    const path = await transaction(delivered)
    for (const [method, step] of [
      ['GET', 'start'],
      ['POST', 'finalize'],
      ['GET', 'stop'],
      ['GET', 'start'],
    ] as const) {
      await noteStates(delivered)
      await sends(method, `${path}/${step}`)
    }
    await noteStates(delivered)
    await sends('POST', `${path}/complete`)
    await noteStates(delivered)
    const pickedUp = await submit({ pickupType: 'Pickup' })
    for (const [method, step] of [
      ['POST', 'finalize'],
      ['GET', 'start'],
    ] as const)
      await sends(method, `${await transaction(pickedUp)}/${step}`)
    await noteStates(pickedUp)
    await sends('DELETE', await transaction(pickedUp))
    await noteStates(pickedUp)
    const declined = await submit()
    await sends('DELETE', await transaction(declined))
    await noteStates(declined)
    const canceled = await submit()
    await sends('DELETE', `/store/cart/cancelCart/${canceled.id}`)
    await noteStates(canceled)
    expect(await get(await transaction(canceled))).toMatchObject({
      status: 'Canceled',
      active: false,
    })
    expect([...CART_STATUSES, ...TRACKING_STATUSES].filter(state => !seen.has(state))).toEqual([])
  })

  it('is refused where a step is not possible, and then nothing has changed', async () => {
    const cart = await prepare()
    const submitted = `/store/cart/submitCart/${cart.id}`
    const placed = await sends('POST', submitted)
    const id = placed['transactionId'] as string
    expect(await refused('POST', submitted)).toEqual([400, 'cartStatus'])
    expect(
      await refused('POST', `/store/cart/updateCart/${cart.id}`, { cart: { items: [] } }),
    ).toEqual([400, 'cartStatus'])
    expect(await refused('GET', `/transactions/${id}/stop`)).toEqual([400, 'status'])
    expect(await refused('POST', `/transactions/${id}/unfinalize`)).toEqual([400, 'locked'])
    expect(
      await refused('POST', `/transactions/${id}/complete`, {
        payments: [{ paymentOption: 'Debit', amount: 0.01 }],
      }),
    ).toEqual([400, 'payments'])
    expect(await get(`/transactions/${id}`)).toMatchObject({ status: 'Queued', payments: [] })
    await sends('POST', `/transactions/${id}/complete`)
    for (const step of ['complete', 'hold', 'prepare', 'finalize', 'sendToFulfill', 'markAsPaid'])
      expect(await refused('POST', `/transactions/${id}/${step}`), step).toEqual([400, 'status'])
    expect(await refused('DELETE', `/transactions/${id}`)).toEqual([400, 'status'])
    expect(await refused('DELETE', `/store/cart/cancelCart/${cart.id}`)).toEqual([
      400,
      'cartStatus',
    ])
    const empty = await sends('POST', '/store/cart/prepare', { cart: { items: [] } })
    expect(await refused('POST', `/store/cart/submitCart/${empty.id}`)).toEqual([400, 'items'])
  })

  it('reserves its goods until it is cancelled or its quantities are deactivated', async () => {
    const all = {
      cart: {
        items: [
          {
            productId: product.id,
            quantity: Math.floor(Number(product['totalSellableQuantity'])) - 2,
          },
        ],
      },
    }
    const first = await submit(all)
    const second = await prepare(all)
    expect(await refused('POST', `/store/cart/submitCart/${second.id}`)).toEqual([400, 'quantity'])
    await sends('DELETE', `/store/consumer-order-qty/consumerCart/${first.id}`)
    expect(await sends('POST', `/store/cart/submitCart/${second.id}`)).toMatchObject({
      cartStatus: 'Placed',
    })
    const [, theirs] = await askJson<Row[]>(sandbox, `/store/consumer-order-qty/${product.id}/`)
    await sends('DELETE', `/store/consumer-order-qty/${theirs!.id}`)
    expect(await askJson<Row[]>(sandbox, `/store/consumer-order-qty/${product.id}/`)).toMatchObject(
      [{ active: false }],
    )
  })

  it('belongs to its consumer and to its store', async () => {
    const cart = await submit()
    const other = await sends('POST', '/user/register', {
      firstName: 'Eve',
      lastName: 'Other',
      email: 'eve@mail.example',
    })
    const login = await send(sandbox, 'POST', '/user/login', {
      email: 'ADA@mail.example',
      password: 'correct horse',
    })
    const token = login.headers.get('x-auth-token')!
    expect(JSON.parse(login.text)).toMatchObject({ accessToken: token, user: { id: consumer.id } })
    expect(login.text).not.toContain('password')
    expect(
      (
        await ask(sandbox, '/store/user', {
          headers: { ...keysOf(sandbox), 'x-auth-token': token },
        })
      ).status,
    ).toBe(200)
    const status = async (path: string, options: object = {}): Promise<number> =>
      (await ask(sandbox, path, options)).status
    expect(await status(`/store/cart/${cart.id}`)).toBe(401)
    expect(await status('/store/cart/history')).toBe(401)
    expect(await status(`/store/cart/${cart.id}?cuid=${other.id}`)).toBe(404)
    expect(
      await status('/store/user', { headers: { ...keysOf(sandbox), 'x-auth-token': 'stale' } }),
    ).toBe(401)
    for (const path of [
      `/members/${member.id}`,
      `/user/${consumer.id}`,
      `/transactions/${cart['transactionId'] as string}`,
      `/store/cart/public/${cart['publicKey'] as string}`,
    ]) {
      expect([await status(path), await status(path, { store: 1 })], path).toEqual([200, 404])
    }
    expect(
      (await send(sandbox, 'POST', '/user/login', { email: 'ada@mail.example', password: 'wrong' }))
        .status,
    ).toBe(401)
  })

  it('obeys the identity with promotions, rewards, discounts and several payments', async () => {
    await sends('POST', '/loyalty/points', { memberId: member.id, points: 150 })
    await sends('POST', '/loyalty/promotions', {
      name: 'Three off',
      promocode: 'THREE',
      discountAmt: 3.33,
    })
    const items = [
      { productId: product.id, quantity: 3, discount: 10 },
      { productId: product.id, quantity: 1.5 },
    ]
    const cart = await prepare({
      cart: { items, promoCode: 'three', discount: 5 },
      rewardName: '$5 Off',
    })
    const { total, appliedAfterTaxDiscount, calcCartDiscount, subTotal } = cart['cart'] as Record<
      string,
      number
    >
    expect([appliedAfterTaxDiscount, cents(calcCartDiscount)]).toEqual([
      5,
      Math.round(cents(subTotal) * 0.05) + 333,
    ])
    const placed = await sends('POST', `/store/cart/submitCart/${cart.id}`)
    await sends('POST', `/store/cart/${cart.id}/payments`, [{ paymentOption: 'Debit', amount: 10 }])
    const sale = await sends(
      'POST',
      `/transactions/${placed['transactionId'] as string}/complete`,
      { payments: [{ paymentOption: 'Cash', amount: total! - 10 + 1.25, tip: 2 }] },
    )
    checkMoney(sale)
    expect(sale['cart']).toMatchObject({ paymentOption: 'Split', changeDue: 1.25, total })
    expect((await get(`/members/${member.id}`))['loyaltyPoints']).toBe(
      150 - 100 + Number(sale['pointsEarned']),
    )
    expect(
      (await askJson<{ values: Row[] }>(sandbox, '/loyalty/promotions/code/THREE')).values,
    ).toMatchObject([{ usageCount: 1 }])
  })
})

describe('a completed sale', () => {
  const late = async (what: string, body: object): Promise<string> => {
    const answer = await control(sandbox, 'POST', `/${what}`, { store: 'downtown', ...body })
    expect([what, answer.status, answer.text]).toEqual([what, 200, expect.any(String)])
    return (JSON.parse(answer.text) as Row).id
  }

  it('is voided, refunded and paid otherwise by control routes, also when it was seeded', async () => {
    const before = await onHand()
    const id = (await submit())['transactionId'] as string
    const sale = await sends('POST', `/transactions/${id}/complete`)
    await late('edit-payment', { transactionId: id, paymentOption: 'Debit' })
    const edited = await get(`/transactions/${id}`)
    expect([
      (edited['payments'] as Row[])[0]!['paymentOption'],
      edited.modified > sale.modified,
    ]).toEqual(['Debit', true])

    const refund = await get(`/transactions/${await late('refund', { transactionId: id })}`)
    checkMoney(refund)
    expect(refund).toMatchObject({ transType: 'Refund', parentTransactionId: id })
    const deliveryFee = 500
    expect(cents((refund['cart'] as Row)['total'])).toBe(
      -cents((sale['cart'] as Row)['total']) + deliveryFee,
    )
    expect(await onHand()).toBe(before)

    const second = (await submit())['transactionId'] as string
    await sends('POST', `/transactions/${second}/complete`)
    await late('void', { transactionId: second })
    expect([await get(`/transactions/${second}`), await onHand()]).toMatchObject([
      { status: 'Canceled' },
      before,
    ])

    const { values } = await askJson<{ values: Row[] }>(sandbox, '/transactions?days=7')
    const seeded = values
      .filter(row => row['transType'] === 'Sale' && row['status'] === 'Completed')
      .slice(0, 8)
    for (const row of seeded) {
      const returned = await get(
        `/transactions/${await late('refund', { transactionId: row.id, restock: false })}`,
      )
      checkMoney(returned)
      const {
        deliveryFee: fee,
        creditCardFee,
        roundAmt,
        appliedAfterTaxDiscount,
        total,
      } = row['cart'] as Record<string, number>
      expect(cents((returned['cart'] as Row)['total'])).toBe(
        -(
          cents(total) -
          cents(fee) -
          cents(creditCardFee) -
          cents(roundAmt) +
          cents(appliedAfterTaxDiscount)
        ),
      )
    }
    expect(
      (await control(sandbox, 'POST', '/void', { store: 'downtown', transactionId: second }))
        .status,
    ).toBe(400)
  })

  it('gives its taxes back to the authorities that it owed them to, also those in its prices', async () => {
    const taxesOf = (row: Row) =>
      (row['cart'] as Record<string, Record<string, number>>)['taxResult']!
    // The second store has taxes in some prices.
    const { values } = await askJson<{ values: Row[] }>(sandbox, '/transactions?days=7', 1)
    const sale = values.find(
      row => row['status'] === 'Completed' && taxesOf(row)['totalStatePreTax']! > 0,
    )!
    const id = await late('refund', { store: 'harbor', transactionId: sale.id, restock: false })
    const returned = await askJson<Row>(sandbox, `/transactions/${id}`, 1)
    const back = Object.entries(taxesOf(returned)).map(([name, amount]) => [name, 0 - amount || 0])
    expect(Object.fromEntries(back)).toEqual(taxesOf(sale))
  })
})
