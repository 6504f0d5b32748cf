import { beforeAll, describe, expect, it } from 'vitest'
import { everything, refusal, sendJson } from '../asking.ts'
import type { Shelf, StockedStore } from './shelves.ts'
import { readShelves, startStockedStore } from './shelves.ts'

let sandbox: StockedStore['sandbox']
let rooms: StockedStore['rooms']
let product: StockedStore['product']
beforeAll(async () => {
  ;({ sandbox, rooms, product } = await startStockedStore())
})

describe('transfers', () => {
  const line = async (amount: number): Promise<{ from: Shelf; body: Record<string, unknown> }> => {
    const from = (await readShelves(sandbox, product.id)).find(({ quantity }) => quantity >= 3)!
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
    const before = await readShelves(sandbox, product.id)
    const transfer = await sendJson(sandbox, 'POST', '/store/batches/transferInventory', body)
    expect(transfer).toMatchObject({ status: 'PENDING', note: 'restock' })
    expect(await readShelves(sandbox, product.id)).toEqual(before)
    const accepted = await sendJson(
      sandbox,
      'POST',
      `/store/batches/transferInventory/${transfer.id}/accept`,
      {},
    )
    expect(accepted).toMatchObject({ status: 'ACCEPTED' })
    const after = await readShelves(sandbox, product.id)
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
    const before = await readShelves(sandbox, product.id)
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
    expect(await readShelves(sandbox, product.id)).toEqual(before)
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
