import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Row } from '../asking.ts'
import { askJson, control, everything, sandboxWith, send, truth } from '../asking.ts'

/** `TILLAGE_LONG=1`: many sequences of many steps. */
const LONG = process.env['TILLAGE_LONG'] === '1'
const RUNS = LONG ? 60 : 5
const STEPS = LONG ? 60 : 15

const AMOUNTS = [0, 0.5, 1, 2.25, 3.5, 7, 1000, -1, 1e9, 'two', null]
const STATES = [
  'InProgress',
  'RequiredApproval',
  'Approved',
  'WaitingShipment',
  'ReceivingShipment',
  'ReceivedShipment',
  'Closed',
  'Cancel',
  'Decline',
  'Lost',
]

/**
 * One step: which operation, on what, how much. Numbers choose among what there is when the step is
 * taken.
 */
const step = fc.record({
  kind: fc.constantFrom(
    'order',
    'move order',
    'transfer',
    'accept',
    'decline',
    'count',
    'price',
    'nonsense',
  ),
  pick: fc.nat(1000),
  other: fc.nat(1000),
  amount: fc.constantFrom(...AMOUNTS),
  state: fc.constantFrom(...STATES),
  junk: fc.jsonValue(),
})

it('survives any sequence of operations: no 5xx, and no quantity lost in a transfer', async () => {
  const sandbox = await sandboxWith({ transactionsPerDay: 1, days: 2, stores: 1 })
  const rooms = await everything(sandbox, '/store/inventories')
  const products = (await everything(sandbox, '/products')).slice(0, 4)
  const shelves = (): Promise<Row[]> => truth(sandbox, 'batch_quantities', '&full=1')
  const sum = (rows: readonly Row[]): number =>
    Math.round(rows.reduce((all, row) => all + Number(row['quantity']) * 10_000, 0))

  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: STEPS, maxLength: STEPS }), async steps => {
      await control(sandbox, 'POST', '/reset')
      const orders: string[] = []
      const transfers: string[] = []
      const call = async (
        method: string,
        path: string,
        body: unknown,
      ): Promise<Row | undefined> => {
        const before = sum(await shelves())
        const answer = await send(sandbox, method, path, body)
        expect([method, path, answer.status < 500]).toEqual([method, path, true])
        if (answer.status !== 200)
          expect(Object.keys(JSON.parse(answer.text) as object)).toEqual([
            'field',
            'message',
            'errorType',
          ])
        if (answer.status !== 200 || path.includes('transferInventory'))
          expect(sum(await shelves())).toBe(before)
        return answer.status === 200 ? (JSON.parse(answer.text) as Row) : undefined
      }
      for (const { kind, pick, other, amount, state, junk } of steps) {
        const product = products[pick % products.length]!
        const [from, to] = [rooms[pick % rooms.length]!, rooms[other % rooms.length]!]
        const order = orders[pick % Math.max(1, orders.length)] ?? 'none'
        const transfer = transfers[pick % Math.max(1, transfers.length)] ?? 'none'
        if (kind === 'order') {
          const made = await call('POST', '/purchaseorders', {
            currentEmployeeId: 'e',
            poPaymentTerms: 'COD',
            paymentType: 'CASH',
            inventoryId: from.id,
            poProductAddRequestList: [{ productId: product.id, requestQuantity: amount }],
          })
          if (made !== undefined) orders.push(made.id)
        } else if (kind === 'move order')
          await call('PUT', `/purchaseorders/${order}`, { purchaseOrderStatus: state })
        else if (kind === 'transfer') {
          const made = await call('POST', '/store/batches/transferInventory', {
            fromInventoryId: from.id,
            toInventoryId: to.id,
            transfers: [{ productId: product.id, transferAmount: amount }],
          })
          if (made !== undefined) transfers.push(made.id)
        } else if (kind === 'accept' || kind === 'decline')
          await call('POST', `/store/batches/transferInventory/${transfer}/${kind}`, {})
        else if (kind === 'count') {
          const made = await call('POST', '/reconciliations', {
            productLossRequests: [
              { productId: product.id, inventoryId: from.id, newQuantity: amount },
            ],
          })
          if (made !== undefined)
            expect(
              sum(
                (
                  await askJson<Row[]>(sandbox, `/store/batches/${product.id}/batchQuantityInfo`)
                ).filter(row => row['inventoryId'] === from.id),
              ),
            ).toBe(Number(amount) * 10_000)
        } else if (kind === 'price')
          await call('PUT', `/products/${product.id}`, { ...product, unitPrice: amount })
        else
          for (const path of [
            '/purchaseorders',
            '/vendors',
            '/products',
            '/category',
            '/reconciliations',
            '/store/batches/transferInventory',
            '/companycontacts/contact',
            '/brands',
          ])
            await call('POST', path, junk)
      }
      const rows = await shelves()
      expect(rows.every(row => Number(row['quantity']) >= 0)).toBe(true)
      for (const { id } of products) {
        const told = (await askJson<{ quantities: Row[] }>(sandbox, `/products/${id}`)).quantities
        expect(sum(told)).toBe(sum(rows.filter(row => row['productId'] === id)))
      }
    }),
    { numRuns: RUNS },
  )
})
