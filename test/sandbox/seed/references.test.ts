import { beforeAll, describe, expect, it } from 'vitest'
import type { Sandbox } from '../../../sandbox/server.ts'
import type { Row } from '../asking.ts'
import { allTransactions, askJson, everything, idsOf, sandboxWith, truth } from '../asking.ts'

describe.each([0, 1])('store %i', store => {
  let sandbox: Sandbox
  let rows: {
    transactions: Row[]
    members: Row[]
    batches: Row[]
    orders: Row[]
    products: Row[]
    vendors: Row[]
  }

  beforeAll(async () => {
    sandbox = await sandboxWith()
    const whole = (stream: string): Promise<Row[]> => truth(sandbox, stream, '&full=1', store)
    const [transactions, members, batches, orders, products, vendors] = await Promise.all([
      allTransactions(sandbox, store),
      whole('members'),
      everything(sandbox, '/store/batches', store),
      everything(sandbox, '/purchaseorders/list', store),
      everything(sandbox, '/products', store),
      everything(sandbox, '/vendors', store),
    ])
    rows = { transactions, members, batches, orders, products, vendors }
  })

  it('holds as much as a real store would', () => {
    expect(rows.transactions).toHaveLength(14 * 60)
    expect(rows.members).toHaveLength(1500)
    expect(rows.products).toHaveLength(250)
    expect(rows.vendors).toHaveLength(25)
    expect(rows.orders).toHaveLength(150)
    expect(rows.batches.length).toBeGreaterThan(700)
    for (const list of Object.values(rows)) expect(new Set(idsOf(list)).size).toBe(list.length)
  })

  it('refers only to what exists', () => {
    const known = Object.fromEntries(
      Object.entries(rows).map(([name, list]) => [name, new Set(idsOf(list))]),
    ) as Record<keyof typeof rows, Set<string>>
    for (const batch of rows.batches) {
      expect(known.products).toContain(batch['productId'])
      expect(known.vendors).toContain(batch['vendorId'])
      if (batch['purchaseOrderId'] !== undefined)
        expect(known.orders).toContain(batch['purchaseOrderId'])
    }
    for (const order of rows.orders) {
      expect(known.vendors).toContain(order['vendorId'])
      for (const line of order['poProductRequestList'] as Row[])
        expect(known.products).toContain(line['productId'])
    }
    for (const product of rows.products) expect(known.vendors).toContain(product['vendorId'])
    for (const member of rows.members)
      if (member['mergedIntoMemberId'] !== undefined)
        expect(known.members).toContain(member['mergedIntoMemberId'])
    for (const transaction of rows.transactions) {
      if (transaction['memberId'] !== undefined)
        expect(known.members).toContain(transaction['memberId'])
      if (transaction['parentTransactionId'] !== undefined)
        expect(known.transactions).toContain(transaction['parentTransactionId'])
      for (const item of (transaction['cart'] as { items: Row[] } | null)?.items ?? []) {
        expect(known.products).toContain(item['productId'])
        expect(known.batches).toContain(item['batchId'])
        for (const lot of item['quantityLogs'] as Row[])
          expect(known.batches).toContain(lot['batchId'])
      }
    }
  })

  it('sells what had arrived, to whom had joined, in the order begun, completed, modified', () => {
    const batches = new Map(rows.batches.map(batch => [batch.id, batch]))
    const members = new Map(rows.members.map(member => [member.id, member]))
    for (const transaction of rows.transactions) {
      const created = transaction['created'] as number
      const completed = (transaction['completedTime'] ?? created) as number
      expect(completed).toBeGreaterThanOrEqual(created)
      expect(transaction.modified).toBeGreaterThanOrEqual(completed)
      const member = members.get(transaction['memberId'] as string)
      if (transaction['transType'] !== 'Sale') continue
      if (member !== undefined) expect(member['created'] as number).toBeLessThanOrEqual(created)
      for (const item of (transaction['cart'] as { items: Row[] }).items)
        expect(
          batches.get(item['batchId'] as string)!['receiveDate'] as number,
        ).toBeLessThanOrEqual(created)
    }
  })

  it('has the kinds of transactions in their usual shares, and some late edits', () => {
    const count = (test: (row: Row) => boolean): number =>
      rows.transactions.filter(test).length / rows.transactions.length
    expect(count(row => row['transType'] === 'Sale')).toBeGreaterThan(0.94)
    expect(count(row => row['transType'] === 'Refund')).toBeGreaterThan(0.005)
    expect(
      count(row => row['transType'] === 'Reconciliation' || row['transType'] === 'Transfer'),
    ).toBeGreaterThan(0.001)
    const late = count(
      row => row.modified - ((row['completedTime'] ?? row['created']) as number) > 3_000_000,
    )
    expect(late).toBeGreaterThan(0.02)
    expect(late).toBeLessThan(0.08)
    expect(count(row => row['memberId'] === undefined)).toBeGreaterThan(0.2)
  })

  it('answers each record by its id as it stands in the list', async () => {
    const transaction = rows.transactions[3]!
    const batch = rows.batches[0]!
    expect(await askJson(sandbox, `/transactions/${transaction.id}`, store)).toEqual(transaction)
    expect(await askJson(sandbox, `/members/${rows.members[0]!.id}`, store)).toEqual(
      rows.members[0],
    )
    expect(await askJson(sandbox, `/purchaseorders/${rows.orders[0]!.id}`, store)).toEqual(
      rows.orders[0],
    )
    expect(await askJson(sandbox, `/products/${rows.products[0]!.id}`, store)).toEqual(
      rows.products[0],
    )
    expect(await askJson(sandbox, `/vendors/${rows.vendors[0]!.id}`, store)).toMatchObject({
      ...rows.vendors[0],
      brandList: expect.any(Array) as unknown,
    })
    expect(
      (
        await askJson<{ values: Row[] }>(
          sandbox,
          `/store/batches?batchId=${batch.id}&status=ERROR`,
          store,
        )
      ).values,
    ).toEqual([batch])
  })
})
