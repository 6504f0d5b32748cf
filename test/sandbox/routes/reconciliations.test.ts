import { beforeAll, describe, expect, it } from 'vitest'
import type { Row } from '../asking.ts'
import { askJson, everything, keysOf, refusal, send, sendJson } from '../asking.ts'
import type { StockedStore } from './shelves.ts'
import { quantityIn, readBatch, readShelves, startStockedStore } from './shelves.ts'

let sandbox: StockedStore['sandbox']
let rooms: StockedStore['rooms']
let product: StockedStore['product']
beforeAll(async () => {
  ;({ sandbox, rooms, product } = await startStockedStore())
})

describe('reconciliations', () => {
  it('sets the count, leaves a history with its number, and a transaction', async () => {
    const [shelf, other] = await readShelves(sandbox, product.id)
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
    const after = await readShelves(sandbox, product.id)
    expect(after[0]!.quantity).toBe(7.25)
    expect(after[1]).toEqual(other)
    expect((await readBatch(sandbox, shelf!.batchId))['liveQuantity']).toBe(
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
    const before = await readShelves(sandbox, product.id)
    const room = before[0]!.inventoryId
    const count = async (newQuantity: number): Promise<void> => {
      await sendJson(sandbox, 'POST', '/reconciliations', {
        productLossRequests: [{ productId: product.id, inventoryId: room, newQuantity }],
      })
      expect(quantityIn(await readShelves(sandbox, product.id), room)).toBe(newQuantity)
    }
    await count(quantityIn(before, room) + 5)
    await count(1.5)
    await count(0)
    expect(
      (await readShelves(sandbox, product.id)).filter(({ inventoryId }) => inventoryId !== room),
    ).toEqual(before.filter(({ inventoryId }) => inventoryId !== room))
  })

  it('takes what a full inventory does not list for absent, in that room only', async () => {
    const [, room] = rooms
    const inventoryId = room!.id
    const lots = await everything(sandbox, `/store/batches/quantities?inventoryId=${inventoryId}`)
    const [kept] = lots.filter(({ quantity }) => (quantity as number) > 0)
    const total = async (): Promise<number> =>
      (await everything(sandbox, '/store/batches/quantities'))
        .filter(row => row['inventoryId'] !== inventoryId)
        .reduce((sum, { quantity }) => sum + (quantity as number), 0)
    const others = await total()
    const body = {
      inventoryId,
      productLossRequests: [
        { productId: kept!['productId'], batchId: kept!['batchId'], newQuantity: 2 },
      ],
    }
    await sendJson(sandbox, 'POST', '/reconciliations', body)
    const inRoom = async (): Promise<Row[]> =>
      (await everything(sandbox, `/store/batches/quantities?inventoryId=${inventoryId}`)).filter(
        ({ quantity }) => quantity !== 0,
      )
    expect((await inRoom()).length).toBeGreaterThan(1)
    await sendJson(sandbox, 'POST', '/reconciliations', { ...body, fullInventory: true })
    expect(await inRoom()).toMatchObject([{ batchId: kept!['batchId'], quantity: 2 }])
    expect(await total()).toBe(others)
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
    const before = await readShelves(sandbox, product.id)
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
    expect(await readShelves(sandbox, product.id)).toEqual(before)
  })
})
