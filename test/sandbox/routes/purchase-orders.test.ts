import { beforeAll, describe, expect, it } from 'vitest'
import { ORDER_MOVES } from '../../../sandbox/stock/purchase-order.ts'
import type { OrderStatus } from '../../../sandbox/stock/purchase-order.ts'
import type { Row } from '../asking.ts'
import { ask, askJson, everything, refusal, send, sendJson } from '../asking.ts'
import type { Shelf, StockedStore } from './shelves.ts'
import { quantityIn, readBatch, readShelves, startStockedStore } from './shelves.ts'

let sandbox: StockedStore['sandbox']
let product: StockedStore['product']
beforeAll(async () => {
  ;({ sandbox, product } = await startStockedStore())
})

describe('purchase orders', () => {
  const wanted = (): Record<string, unknown> => ({
    currentEmployeeId: 'e',
    poPaymentTerms: 'NET_15',
    paymentType: 'CHEQUE',
    vendorId: product['vendorId'],
    discount: 1.5,
    fees: 2.25,
    poProductAddRequestList: [
      { productId: product.id, requestQuantity: 12, totalCost: 30.6, discount: 0.6 },
    ],
  })

  it.each(['currentEmployeeId', 'poPaymentTerms', 'paymentType', 'poProductAddRequestList'])(
    'needs %s',
    async field => {
      const { [field]: _, ...rest } = wanted()
      expect(await refusal(sandbox, 'POST', '/purchaseorders', rest)).toEqual([400, field])
    },
  )

  it('refuses what is unknown, and values outside the enumerations', async () => {
    expect(
      await refusal(sandbox, 'POST', '/purchaseorders', { ...wanted(), poPaymentTerms: 'NET_90' }),
    ).toEqual([400, 'poPaymentTerms'])
    expect(
      await refusal(sandbox, 'POST', '/purchaseorders', { ...wanted(), vendorId: 'nobody' }),
    ).toEqual([400, 'vendorId'])
    expect(
      await refusal(sandbox, 'POST', '/purchaseorders', {
        ...wanted(),
        poPaymentTerms: 'CUSTOM_DATE',
      }),
    ).toEqual([400, 'customTermDate'])
    expect(
      await refusal(sandbox, 'POST', '/purchaseorders', {
        ...wanted(),
        poProductAddRequestList: [{ productId: 'nothing', requestQuantity: 1 }],
      }),
    ).toEqual([400, 'poProductAddRequestList.0.productId'])
  })

  it('prepares without keeping, creates with the same sums', async () => {
    const before = await everything(sandbox, '/purchaseorders/list')
    const prepared = await sendJson(sandbox, 'POST', '/purchaseorders/prepare', wanted())
    expect(await everything(sandbox, '/purchaseorders/list')).toHaveLength(before.length)
    const answer = await send(sandbox, 'POST', '/purchaseorders', wanted())
    const created = JSON.parse(answer.text) as Row
    expect(answer.text).toContain('"grandTotal":30.75')
    expect(created).toMatchObject({
      purchaseOrderStatus: 'InProgress',
      poPaymentOptions: 'CHEQUE',
      createdByEmployeeId: 'e',
      poType: 'Normal',
      customerType: 'VENDOR',
      totalCost: 30.6,
      totalDiscount: 2.1,
      fees: 2.25,
      grandTotal: 30.75,
    })
    expect(created['grandTotal']).toBe(prepared['grandTotal'])
    expect((created['dueDate'] as number) - (created['purchaseOrderDate'] as number)).toBe(
      15 * 86_400_000,
    )
    expect(await askJson(sandbox, `/purchaseorders/${created.id}`)).toEqual(created)
    expect((await ask(sandbox, `/purchaseorders/${created.id}`, { store: 1 })).status).toBe(404)
  })

  it('goes along its states, and received it is a batch with its quantities', async () => {
    const before = await readShelves(sandbox, product.id)
    let order = await sendJson(sandbox, 'POST', '/purchaseorders', wanted())
    for (const status of [
      'RequiredApproval',
      'Approved',
      'WaitingShipment',
      'ReceivingShipment',
      'ReceivedShipment',
      'Closed',
    ]) {
      const previous = order['purchaseOrderStatus']
      order = await sendJson(sandbox, 'PUT', `/purchaseorders/${order.id}`, {
        ...order,
        purchaseOrderStatus: status,
      })
      expect(order).toMatchObject({
        purchaseOrderStatus: status,
        purchaseOrderPreviousStatus: previous,
      })
    }
    expect(order['submitForApprovalDate'] as number).toBeLessThan(order['approvedDate'] as number)
    expect(order['receivedDate'] as number).toBeLessThan(order['completedDate'] as number)
    const [line] = order['poProductRequestList'] as (Row & { batches: { batchId: string }[] })[]
    expect(line).toMatchObject({ receivedQuantity: 12, requestStatus: 'ACCEPTED' })
    const batch = await readBatch(sandbox, line!.batches[0]!.batchId)
    expect(batch).toMatchObject({
      productId: product.id,
      purchaseOrderId: order.id,
      poNumber: order['poNumber'],
      quantity: 12,
      liveQuantity: 12,
      costPerUnit: 2.55,
      status: 'RECEIVED',
    })
    const after = await readShelves(sandbox, product.id)
    expect(after.filter(({ batchId }) => batchId === batch.id)).toMatchObject([
      { quantity: 12, inventoryId: order['inventoryId'] },
    ])
    expect(
      quantityIn(after, order['inventoryId'] as string) -
        quantityIn(before, order['inventoryId'] as string),
    ).toBe(12)
    const told = (await askJson<Row>(sandbox, `/products/${product.id}`))['quantities'] as Shelf[]
    expect(quantityIn(told, order['inventoryId'] as string)).toBe(
      quantityIn(after, order['inventoryId'] as string),
    )
  })

  it('receives what came, if that is not what was ordered', async () => {
    let order = await sendJson(sandbox, 'POST', '/purchaseorders', wanted())
    for (const status of ['RequiredApproval', 'Approved', 'WaitingShipment', 'ReceivingShipment'])
      order = await sendJson(sandbox, 'PUT', `/purchaseorders/${order.id}`, {
        purchaseOrderStatus: status,
      })
    const lines = (order['poProductRequestList'] as Row[]).map(line => ({
      ...line,
      receivedQuantity: 10.5,
    }))
    order = await sendJson(sandbox, 'PUT', `/purchaseorders/${order.id}`, {
      ...order,
      poProductRequestList: lines,
      purchaseOrderStatus: 'ReceivedShipment',
    })
    const [line] = order['poProductRequestList'] as (Row & { batches: { batchId: string }[] })[]
    expect(await readBatch(sandbox, line!.batches[0]!.batchId)).toMatchObject({
      quantity: 10.5,
      liveQuantity: 10.5,
    })
  })

  it('refuses every move that is not in the table, from every state that can be reached', async () => {
    const all = Object.keys(ORDER_MOVES) as OrderStatus[]
    const reach = async (status: OrderStatus, order: Row): Promise<void> => {
      for (const to of all)
        if (to !== status && !ORDER_MOVES[status].includes(to))
          expect([
            status,
            to,
            await refusal(sandbox, 'PUT', `/purchaseorders/${order.id}`, {
              purchaseOrderStatus: to,
            }),
          ]).toEqual([status, to, [400, 'purchaseOrderStatus']])
    }
    const path: OrderStatus[] = [
      'RequiredApproval',
      'Approved',
      'WaitingShipment',
      'ReceivingShipment',
      'ReceivedShipment',
      'Closed',
    ]
    const order = await sendJson(sandbox, 'POST', '/purchaseorders', wanted())
    await reach('InProgress', order)
    for (const status of path) {
      await sendJson(sandbox, 'PUT', `/purchaseorders/${order.id}`, { purchaseOrderStatus: status })
      await reach(status, order)
    }
    for (const last of ['Cancel', 'Decline'] as const) {
      const other = await sendJson(sandbox, 'POST', '/purchaseorders', wanted())
      await sendJson(sandbox, 'PUT', `/purchaseorders/${other.id}`, {
        purchaseOrderStatus: 'RequiredApproval',
      })
      await sendJson(sandbox, 'PUT', `/purchaseorders/${other.id}`, { purchaseOrderStatus: last })
      await reach(last, other)
    }
    expect(
      await refusal(sandbox, 'PUT', `/purchaseorders/${order.id}`, { purchaseOrderStatus: 'Lost' }),
    ).toEqual([400, 'purchaseOrderStatus'])
  })
})
