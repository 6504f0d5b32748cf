import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import type { Server, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { WEBHOOK_TYPES } from '../../../connectors/partner/contract/operation.ts'
import type { Event } from '../../../sandbox/events/event.ts'
import { isTarget } from '../../../sandbox/events/event.ts'
import type { Sandbox } from '../../../sandbox/server.ts'
import { startSandbox } from '../../../sandbox/server.ts'
import type { Row } from '../asking.ts'
import { askJson, control, keysOf, sandboxWith, send } from '../asking.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** Somebody who registered: what they were told, and how they answer. */
async function listen(
  answer: (response: ServerResponse, nth: number) => void = response => response.end(),
): Promise<{
  url: string
  events: Event[]
  until(enough: (events: Event[]) => boolean): Promise<void>
}> {
  const events: Event[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      events.push(JSON.parse(Buffer.concat(chunks).toString()) as Event)
      answer(response, events.length)
      server.emit('told')
    })
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    events,
    until: async enough => {
      while (!enough(events)) await once(server, 'told')
    },
  }
}

async function sends(sandbox: Sandbox, method: string, path: string, body?: unknown): Promise<Row> {
  const answer = await send(sandbox, method, path, body)
  if (answer.status !== 200)
    throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`)
  return (answer.text === '' ? {} : JSON.parse(answer.text)) as Row
}

const register = (sandbox: Sandbox, url: string, more: object = {}): Promise<Row> =>
  sends(sandbox, 'POST', '/webHooks', { webHookUrls: [url], ...more })
const SMALL = { transactionsPerDay: 1, days: 2 }

it('tells of all eleven types what the operations that imply them did', async () => {
  const sandbox = await sandboxWith(SMALL)
  const receiver = await listen()
  const [hook] = (await sends(sandbox, 'POST', '/store/webHook', [
    { webHookUrls: [receiver.url] },
  ])) as unknown as Row[]
  const { values } = await askJson<{ values: Row[] }>(sandbox, '/products')
  const product = values.find(
    row => row['active'] === true && Number(row['totalSellableQuantity']) > 20,
  )!
  const member = await sends(sandbox, 'POST', '/members', {
    firstName: 'Ada',
    lastName: 'Buyer',
    email: 'ada@mail.example',
  })
  await sends(sandbox, 'PUT', `/members/${member.id}`, { ...member, nickname: 'A' })
  const consumer = await sends(sandbox, 'POST', '/user/register', {
    firstName: 'Ada',
    lastName: 'Buyer',
    email: 'ada@mail.example',
  })
  await sends(sandbox, 'POST', `/store/user/sign?cuid=${consumer.id}`, { contractId: 'c' })
  await sends(sandbox, 'PUT', `/products/${product.id}`, product)
  const order = async (): Promise<string> => {
    const cart = await sends(sandbox, 'POST', `/store/cart/prepare?cuid=${consumer.id}`, {
      cart: { items: [{ productId: product.id, quantity: 1 }] },
    })
    return (await sends(sandbox, 'POST', `/store/cart/submitCart/${cart.id}`))[
      'transactionId'
    ] as string
  }
  const sold = await order()
  await sends(sandbox, 'GET', `/transactions/${sold}/start`)
  await sends(sandbox, 'POST', `/transactions/${sold}/complete`)
  const canceled = await order()
  await sends(sandbox, 'DELETE', `/transactions/${canceled}`)
  await receiver.until(events =>
    WEBHOOK_TYPES.every(type => events.some(event => event.webHookType === type)),
  )
  for (const event of receiver.events)
    expect(Object.keys(event)).toEqual(['webHookType', 'id', 'shopId', 'modified'])
  const ids = (type: string): string[] =>
    receiver.events.filter(event => event.webHookType === type).map(event => event.id)
  expect(ids('CREATE_TRANSACTION').sort()).toEqual([sold, canceled].sort())
  expect([
    ids('COMPLETE_TRANSACTION'),
    ids('CANCEL_TRANSACTION'),
    ids('UPDATE_PRODUCT'),
    ids('NEW_MEMBER'),
  ]).toEqual([[sold], [canceled], [product.id], [member.id]])
  const { deliveries } = JSON.parse(
    (await control(sandbox, 'GET', '/deliveries?store=downtown')).text,
  ) as { deliveries: Row[] }
  expect(deliveries[0]).toMatchObject({
    store: 'downtown',
    webHookId: hook!.id,
    url: receiver.url,
    attempt: 1,
    status: 200,
  })
})

it('sends to whoever wants a type, in that store alone, until the registration is deleted', async () => {
  const sandbox = await sandboxWith(SMALL)
  const [wanted, other, theirs] = [await listen(), await listen(), await listen()]
  const hook = await register(sandbox, wanted.url, { webHookType: 'NEW_MEMBER' })
  await register(sandbox, other.url, { webHookType: 'UPDATE_PRODUCT' })
  await send(
    sandbox,
    'POST',
    '/webHooks',
    { webHookUrls: [theirs.url] },
    'application/json',
    keysOf(sandbox, 1),
  )
  await sends(sandbox, 'POST', '/members', { firstName: 'Ada', lastName: 'One' })
  await wanted.until(events => events.length === 1)
  await sends(sandbox, 'PUT', `/webHooks/${hook.id}`, { ...hook, webHookType: 'UPDATE_MEMBER' })
  await sends(sandbox, 'POST', '/members', { firstName: 'Ada', lastName: 'Two' })
  await sends(sandbox, 'DELETE', `/webHooks/${hook.id}`)
  const last = await listen()
  await register(sandbox, last.url)
  await sends(sandbox, 'POST', '/members', { firstName: 'Ada', lastName: 'Three' })
  await last.until(events => events.length === 1)
  expect([wanted.events.length, other.events.length, theirs.events.length]).toEqual([1, 0, 0])
  expect(
    (await askJson<{ values: Row[] }>(sandbox, '/webHooks')).values.map(row => row['webHookType']),
  ).toEqual(['UPDATE_PRODUCT', undefined])
  expect((await send(sandbox, 'GET', `/webHooks/${hook.id}`)).status).toBe(404)
})

it('tries again until the receiver acknowledges, and waits for nobody', async () => {
  const sandbox = await sandboxWith(SMALL)
  const failing = await listen((response, nth) => response.writeHead(nth < 3 ? 503 : 200).end())
  const silent = await listen(() => undefined)
  const quick = await listen()
  await register(sandbox, silent.url)
  await register(sandbox, failing.url)
  await register(sandbox, quick.url)
  for (const lastName of ['One', 'Two'])
    await sends(sandbox, 'POST', '/members', { firstName: 'Ada', lastName })
  await quick.until(events => events.length === 2)
  await failing.until(events => events.length === 4)
  const { deliveries } = JSON.parse((await control(sandbox, 'GET', '/deliveries')).text) as {
    deliveries: Row[]
  }
  expect(deliveries.filter(row => row['url'] === silent.url)).toEqual([])
})

it('tells of the same event twice and in another order on request', async () => {
  const sandbox = await sandboxWith({ ...SMALL, profiles: ['events-repeated', 'events-shuffled'] })
  const receiver = await listen()
  await register(sandbox, receiver.url)
  const made: string[] = []
  for (let nth = 0; nth < 6; nth++)
    made.push(
      (await sends(sandbox, 'POST', '/members', { firstName: 'Ada', lastName: String(nth) })).id,
    )
  await receiver.until(events => events.length === 12)
  const told = receiver.events.map(event => event.id)
  expect(told.toSorted()).toEqual([...made, ...made].toSorted())
  expect(told.filter((id, at) => told.indexOf(id) === at)).not.toEqual(made)
})

it('delivers after a restart what a process still owed, to registrations that it kept', async () => {
  const data = join(mkdtempSync(join(tmpdir(), 'tillage-sandbox-')), 'sandbox.db')
  const options = { ...SMALL, until: '2026-03-15', data }
  const first = await startSandbox(options)
  let up = false
  const receiver = await listen(response => response.writeHead(up ? 200 : 503).end())
  await register(first, receiver.url)
  const member = await sends(first, 'POST', '/members', { firstName: 'Ada', lastName: 'One' })
  await receiver.until(events => events.length === 1)
  await first.close()
  const before = receiver.events.length
  up = true
  const second = await startSandbox(options)
  await receiver.until(events => events.length > before)
  expect(receiver.events.at(-1)!.id).toBe(member.id)
  await second.close()
})

it.each([
  [{ webHookType: 'NEW_MEMBER' }, 'webHookUrls'],
  [{ webHookUrls: [] }, 'webHookUrls'],
  [{ webHookUrls: ['http://shop.example/hook'] }, 'webHookUrls'],
  [{ webHookUrls: ['https://shop.example/hook'], webHookType: 'NEW_ORDER' }, 'webHookType'],
  [{ webHookUrls: ['https://shop.example/hook'], shopId: 'another' }, 'shopId'],
])('refuses a registration of %j', async (body, field) => {
  const answer = await send(await sandboxWith(SMALL), 'POST', '/webHooks', body)
  expect([
    answer.status >= 400 && answer.status < 500,
    (JSON.parse(answer.text) as Row)['field'],
  ]).toEqual([true, field])
})

it('takes https anywhere and http to this machine', () => {
  expect(
    ['https://a.example', 'http://127.0.0.1:1/x', 'http://localhost', 'http://[::1]:8080/'].every(
      isTarget,
    ),
  ).toBe(true)
  expect(
    ['http://a.example', 'http://127.0.0.1.a.example', 'ftp://localhost', 'file:///etc', 'x'].some(
      isTarget,
    ),
  ).toBe(false)
})
