import { beforeAll, describe, expect, it } from 'vitest'
import type { Sandbox } from '../../../sandbox/server.ts'
import { ORDER_MOVES } from '../../../sandbox/stock/purchase-order.ts'
import type { OrderStatus } from '../../../sandbox/stock/purchase-order.ts'
import type { Row } from '../asking.ts'
import {
  ask,
  askJson,
  everything,
  keysOf,
  refusal,
  sandboxWith,
  send,
  sendJson,
} from '../asking.ts'

let sandbox: Sandbox
let rooms: Row[]
let product: Row
beforeAll(async () => {
  sandbox = await sandboxWith({ transactionsPerDay: 5 })
  rooms = await everything(sandbox, '/store/inventories')
  product = (await everything(sandbox, '/products')).find(
    row => row['instock'] === true && row['deleted'] === false,
  )!
})

interface Shelf extends Row {
  batchId: string
  inventoryId: string
  quantity: number
}

const shelves = (productId: string): Promise<Shelf[]> =>
  askJson<Shelf[]>(sandbox, `/store/batches/${productId}/batchQuantityInfo`)
const inRoom = (rows: readonly Shelf[], room: string): number =>
  rows
    .filter(({ inventoryId }) => inventoryId === room)
    .reduce((sum, { quantity }) => sum + quantity, 0)
const batchOf = async (id: string): Promise<Row> =>
  (await askJson<{ values: Row[] }>(sandbox, `/store/batches?batchId=${id}`)).values[0]!

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
    const before = await shelves(product.id)
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
    const batch = await batchOf(line!.batches[0]!.batchId)
    expect(batch).toMatchObject({
      productId: product.id,
      purchaseOrderId: order.id,
      poNumber: order['poNumber'],
      quantity: 12,
      liveQuantity: 12,
      costPerUnit: 2.55,
      status: 'RECEIVED',
    })
    const after = await shelves(product.id)
    expect(after.filter(({ batchId }) => batchId === batch.id)).toMatchObject([
      { quantity: 12, inventoryId: order['inventoryId'] },
    ])
    expect(
      inRoom(after, order['inventoryId'] as string) -
        inRoom(before, order['inventoryId'] as string),
    ).toBe(12)
    const told = (await askJson<Row>(sandbox, `/products/${product.id}`))['quantities'] as Shelf[]
    expect(inRoom(told, order['inventoryId'] as string)).toBe(
      inRoom(after, order['inventoryId'] as string),
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
    expect(await batchOf(line!.batches[0]!.batchId)).toMatchObject({
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

describe('transfers', () => {
  const line = async (amount: number): Promise<{ from: Shelf; body: Record<string, unknown> }> => {
    const from = (await shelves(product.id)).find(({ quantity }) => quantity >= 3)!
    const to = rooms.find(({ id }) => id !== from.inventoryId)!
    return {
      from,
      body: {
        fromInventoryId: from.inventoryId,
        toInventoryId: to.id,
        note: 'restock',
        transfers: [{ productId: product.id, fromBatchId: from.batchId, transferAmount: amount }],
      },
    }
  }

  it('moves nothing before it is accepted, then exactly that, and books it', async () => {
    const { from, body } = await line(2.5)
    const before = await shelves(product.id)
    const transfer = await sendJson(sandbox, 'POST', '/store/batches/transferInventory', body)
    expect(transfer).toMatchObject({ status: 'PENDING', note: 'restock' })
    expect(await shelves(product.id)).toEqual(before)
    const accepted = await sendJson(
      sandbox,
      'POST',
      `/store/batches/transferInventory/${transfer.id}/accept`,
      {},
    )
    expect(accepted).toMatchObject({ status: 'ACCEPTED' })
    const after = await shelves(product.id)
    const amount = (rows: Shelf[], room: unknown): number =>
      rows.find(({ batchId, inventoryId }) => batchId === from.batchId && inventoryId === room)
        ?.quantity ?? 0
    expect(amount(after, from.inventoryId)).toBe(amount(before, from.inventoryId) - 2.5)
    expect(amount(after, body['toInventoryId'])).toBe(amount(before, body['toInventoryId']) + 2.5)
    const booked = (await everything(sandbox, '/transactions?days=1')).find(
      row => row['transNo'] === accepted['transNo'],
    )
    expect(booked).toMatchObject({
      transType: 'Transfer',
      status: 'Completed',
      transferRequest: { transfers: [{ fromBatchId: from.batchId, transferAmount: 2.5 }] },
    })
    for (const way of ['accept', 'decline'])
      expect(
        await refusal(sandbox, 'POST', `/store/batches/transferInventory/${transfer.id}/${way}`),
      ).toEqual([400, 'status'])
    expect(
      await refusal(sandbox, 'PUT', `/store/batches/transferInventory/${transfer.id}`, body),
    ).toEqual([400, 'status'])
  })

  it('can be changed while it waits, and declined, and then nothing moves', async () => {
    const { body } = await line(1)
    const before = await shelves(product.id)
    const transfer = await sendJson(sandbox, 'POST', '/store/batches/transferInventory', body)
    const changed = await sendJson(
      sandbox,
      'PUT',
      `/store/batches/transferInventory/${transfer.id}`,
      { ...body, transfers: [{ ...(body['transfers'] as object[])[0], transferAmount: 2 }] },
    )
    expect(changed).toMatchObject({
      id: transfer.id,
      status: 'PENDING',
      transfers: [{ transferAmount: 2 }],
    })
    expect(
      await sendJson(sandbox, 'POST', `/store/batches/transferInventory/${transfer.id}/decline`),
    ).toMatchObject({ status: 'DECLINED' })
    expect(await shelves(product.id)).toEqual(before)
    expect(
      await refusal(sandbox, 'POST', `/store/batches/transferInventory/${transfer.id}/accept`),
    ).toEqual([400, 'status'])
  })

  it('refuses more than there is, nothing, unknown rooms and batches, the same room, other shops', async () => {
    const path = '/store/batches/transferInventory'
    const { from, body } = await line(1)
    const [one] = body['transfers'] as Record<string, unknown>[]
    const lines = (patch: Record<string, unknown>): unknown => ({
      ...body,
      transfers: [{ ...one, ...patch }],
    })
    expect(await refusal(sandbox, 'POST', path, lines({ transferAmount: 1e6 }))).toEqual([
      400,
      'transferAmount',
    ])
    expect(
      await refusal(sandbox, 'POST', path, {
        ...body,
        transfers: [{ ...one, transferAmount: from.quantity }, one],
      }),
    ).toEqual([400, 'transferAmount'])
    expect(await refusal(sandbox, 'POST', path, lines({ transferAmount: 0 }))).toEqual([
      400,
      'transfers.0.transferAmount',
    ])
    expect(await refusal(sandbox, 'POST', path, lines({ fromBatchId: 'none' }))).toEqual([
      400,
      'transfers.0.fromBatchId',
    ])
    expect(await refusal(sandbox, 'POST', path, lines({ toInventoryId: 'none' }))).toEqual([
      400,
      'transfers.0.toInventoryId',
    ])
    expect(
      await refusal(sandbox, 'POST', path, lines({ toInventoryId: from.inventoryId })),
    ).toEqual([400, 'transfers.0.toInventoryId'])
    expect(
      await refusal(sandbox, 'POST', path, { ...body, toShopId: sandbox.stores[1]!.shopId }),
    ).toEqual([400, 'toShopId'])
    expect(await refusal(sandbox, 'POST', path, {})).toEqual([400, 'transfers'])
  })
})

describe('reconciliations', () => {
  it('sets the count, leaves a history with its number, and a transaction', async () => {
    const [shelf, other] = await shelves(product.id)
    const body = {
      inventoryId: shelf!.inventoryId,
      note: 'cycle count 7',
      employeeId: 'e',
      productLossRequests: [{ productId: product.id, batchId: shelf!.batchId, newQuantity: 7.25 }],
    }
    const history = await sendJson(sandbox, 'POST', '/reconciliations', body)
    expect(history).toMatchObject({
      note: 'cycle count 7',
      extAdjustmentOption: 'ADJUST_BY_FINAL_AMOUNT',
      batchReconcile: false,
      audit: false,
      reconciliations: [
        { batchId: shelf!.batchId, oldQuantity: shelf!.quantity, newQuantity: 7.25 },
      ],
    })
    const after = await shelves(product.id)
    expect(after[0]!.quantity).toBe(7.25)
    expect(after[1]).toEqual(other)
    expect((await batchOf(shelf!.batchId))['liveQuantity']).toBe(
      after
        .filter(({ batchId }) => batchId === shelf!.batchId)
        .reduce((sum, { quantity }) => sum + quantity, 0),
    )
    const next = await sendJson(sandbox, 'POST', '/reconciliations', body)
    expect(next['requestNo']).toBe((history['requestNo'] as number) + 1)
    expect(
      await askJson<{ values: Row[] }>(
        sandbox,
        `/reconciliations?requestNo=${String(history['requestNo'])}`,
      ),
    ).toMatchObject({ values: [history], total: 1 })
    expect(await askJson(sandbox, `/reconciliations/${history.id}`)).toEqual(history)
    const booked = (await everything(sandbox, '/transactions?days=1')).filter(
      row => row['transNo'] === history['transNo'],
    )
    expect(booked).toMatchObject([
      { transType: 'Reconciliation', status: 'Completed', note: 'cycle count 7', payments: [] },
    ])
  })

  it('counts a product over its batches where none is named', async () => {
    const before = await shelves(product.id)
    const room = before[0]!.inventoryId
    const count = async (newQuantity: number): Promise<void> => {
      await sendJson(sandbox, 'POST', '/reconciliations', {
        productLossRequests: [{ productId: product.id, inventoryId: room, newQuantity }],
      })
      expect(inRoom(await shelves(product.id), room)).toBe(newQuantity)
    }
    await count(inRoom(before, room) + 5)
    await count(1.5)
    await count(0)
    expect((await shelves(product.id)).filter(({ inventoryId }) => inventoryId !== room)).toEqual(
      before.filter(({ inventoryId }) => inventoryId !== room),
    )
  })

  it('needs the permission, before anything else', async () => {
    const headers = { ...keysOf(sandbox), 'x-api-key': sandbox.partnerKeys[1]!.key }
    for (const [method, path, body] of [
      ['GET', '/reconciliations'],
      ['GET', '/reconciliations/nothing'],
      ['POST', '/reconciliations', '{"broken'],
    ] as const) {
      const answer = await send(sandbox, method, path, body, 'application/json', headers)
      expect([answer.status, Object.keys(JSON.parse(answer.text) as object)]).toEqual([
        403,
        ['field', 'message', 'errorType'],
      ])
    }
  })

  it('refuses a count that is missing, negative, twice, or of what is not there, and then sets none', async () => {
    const before = await shelves(product.id)
    const [shelf] = before
    const line = {
      productId: product.id,
      batchId: shelf!.batchId,
      inventoryId: shelf!.inventoryId,
      newQuantity: 3,
    }
    const refused = (...lines: object[]): Promise<[number, string]> =>
      refusal(sandbox, 'POST', '/reconciliations', { productLossRequests: lines })
    expect(await refused()).toEqual([400, 'productLossRequests'])
    expect(await refused(line, { ...line, newQuantity: undefined })).toEqual([
      400,
      'productLossRequests.1.newQuantity',
    ])
    expect(await refused(line, { ...line, newQuantity: -1 })).toEqual([
      400,
      'productLossRequests.1.newQuantity',
    ])
    expect(await refused(line, { ...line, newQuantity: 'three' })).toEqual([
      400,
      'productLossRequests.1.newQuantity',
    ])
    expect(await refused(line, line)).toEqual([400, 'productLossRequests.1.productId'])
    expect(await refused(line, { ...line, batchId: 'none' })).toEqual([
      400,
      'productLossRequests.1.batchId',
    ])
    expect(await refused(line, { ...line, inventoryId: 'none' })).toEqual([
      400,
      'productLossRequests.1.inventoryId',
    ])
    expect(await shelves(product.id)).toEqual(before)
  })
})
