import type { Sandbox } from '../../sandbox/server.ts'
import { askJson, keysOf, sendJson } from '../sandbox/asking.ts'
import type { Page, Row } from '../sandbox/asking.ts'

/**
 * One record in each list that a new sandbox has nothing in: a webhook, a consumer with a photo,
 * carts, a file, a contact, a count, a transfer.
 */
export async function fillSandbox(sandbox: Sandbox): Promise<void> {
  const first = async (path: string): Promise<Row> =>
    (await askJson<Page>(sandbox, path)).values[0]!
  const [member, product, batch] = await Promise.all([
    first('/members'),
    first('/products'),
    first('/store/batches?status=READY_FOR_SALE'),
  ])
  const rooms = (await askJson<Page>(sandbox, '/store/inventories')).values
  await sendJson(sandbox, 'POST', '/webHooks', { webHookUrls: ['http://127.0.0.1:9/'] })
  const consumer = await sendJson(sandbox, 'POST', '/user/register', {
    email: 'consumer@example.com',
    firstName: 'Ada',
    lastName: 'Reed',
    password: 'a long one',
  })
  await sendJson(sandbox, 'PUT', `/members/${member.id}`, {
    ...member,
    consumerUserId: consumer.id,
  })
  await sendJson(sandbox, 'POST', `/store/user?cuid=${consumer.id}`, {
    email: 'consumer@example.com',
    firstName: 'Ada',
    lastName: 'Reed',
    recNo: 'R-1',
  })
  await upload(sandbox, '/store/user/dlPhoto', { cuid: consumer.id })
  const asset = await upload(sandbox, '/asset/upload/public')
  await sendJson(sandbox, 'PUT', `/products/${product.id}`, { ...product, assets: [asset] })
  const cart = { cart: { items: [{ productId: product.id, quantity: 1 }] } }
  const placed = await sendJson(sandbox, 'POST', `/store/cart/prepare?cuid=${consumer.id}`, cart)
  await sendJson(sandbox, 'POST', `/store/cart/submitCart/${placed.id}?cuid=${consumer.id}`, {})
  await sendJson(sandbox, 'POST', `/store/cart/prepare?cuid=${consumer.id}`, cart)
  await sendJson(sandbox, 'POST', '/companycontacts/contact', {
    firstName: 'Sam',
    lastName: 'Stone',
  })
  await sendJson(sandbox, 'POST', '/reconciliations', {
    productLossRequests: [
      {
        productId: batch['productId'],
        batchId: batch.id,
        inventoryId: rooms[0]!.id,
        newQuantity: 5,
      },
    ],
  })
  const line = {
    fromInventoryId: rooms[0]!.id,
    toInventoryId: rooms[1]!.id,
    fromBatchId: batch.id,
    productId: batch['productId'],
    transferAmount: 1,
  }
  await sendJson(sandbox, 'POST', '/store/batches/transferInventory', { transfers: [line] })
}

async function upload(
  sandbox: Sandbox,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Row> {
  const body = new FormData()
  body.append('file', new File(['\u0089PNG'], 'photo.png', { type: 'image/png' }))
  const response = await fetch(`${sandbox.baseUrl}/api/v1/partner${path}`, {
    method: 'POST',
    headers: { ...keysOf(sandbox), ...headers },
    body,
  })
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`)
  return (await response.json()) as Row
}
