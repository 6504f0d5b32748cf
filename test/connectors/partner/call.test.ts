import type { RequestListener } from 'node:http'
import { afterAll, describe, expect, it } from 'vitest'
import { call } from '../../../connectors/partner/call.ts'
import { createPartnerClient } from '../../../connectors/partner/client.ts'
import type { PartnerClient } from '../../../connectors/partner/client.ts'
import { serve } from '../../reading/list-server.ts'

const clients: PartnerClient[] = []
afterAll(() => Promise.all(clients.map(client => client.close())))

async function clientOf(listener: RequestListener): Promise<PartnerClient> {
  const client = createPartnerClient({
    baseUrl: await serve(listener),
    partnerKey: 'partner-key',
    developerKey: 'developer-key',
  })
  clients.push(client)
  return client
}

interface Seen {
  method: string
  url: string
  headers: Record<string, unknown>
  body: string
}

/** A server that answers the same each time, and what it saw last. */
async function answering(
  body: string | Buffer,
  headers: Record<string, string> = {},
  status = 200,
): Promise<{ client: PartnerClient; seen: Seen[] }> {
  const seen: Seen[] = []
  const client = await clientOf((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      seen.push({
        method: request.method!,
        url: request.url!,
        headers: request.headers,
        body: Buffer.concat(parts).toString('latin1'),
      })
      response.writeHead(status, headers).end(body)
    })
  })
  return { client, seen }
}

describe('a call of an operation', () => {
  it('fills in the path, sends the query as documented, and both keys', async () => {
    const { client, seen } = await answering('{"values":[{"id":"b1","productId":"p1"}],"total":7}')
    const { value } = await call(client, 'listBatches', {
      parameters: { productId: 'p 1', status: 'READY_FOR_SALE', start: 100, limit: 100 },
    })
    expect(value).toEqual({ items: [{ id: 'b1', productId: 'p1' }], total: 7 })
    expect(seen[0]).toMatchObject({
      method: 'GET',
      url: '/api/v1/partner/store/batches?productId=p+1&status=READY_FOR_SALE&start=100&limit=100',
      headers: { 'x-api-key': 'partner-key', authorization: 'developer-key' },
    })
    await call(client, 'searchInventoryProducts', { parameters: { tags: ['a', 'b&c'] } })
    expect(seen[1]!.url).toBe('/api/v1/partner/store/inventory/products?tags=a&tags=b%26c')
  })

  it('sends JSON, and JSON text digit by digit', async () => {
    const { client, seen } = await answering('{"id":"v1","name":"Green Leaf"}')
    expect(
      (await call(client, 'createVendor', { body: { name: 'Green Leaf', active: false } })).value
        .name,
    ).toBe('Green Leaf')
    await call(client, 'updateVendor', {
      parameters: { vendorId: 'v1' },
      body: '{"name":"Green Leaf","credits":0.10000000000000000001}',
    })
    expect(
      seen.map(({ method, url, body, headers }) => [method, url, body, headers['content-type']]),
    ).toEqual([
      [
        'POST',
        '/api/v1/partner/vendors',
        '{"name":"Green Leaf","active":false}',
        'application/json',
      ],
      [
        'PUT',
        '/api/v1/partner/vendors/v1',
        '{"name":"Green Leaf","credits":0.10000000000000000001}',
        'application/json',
      ],
    ])
  })

  it('uploads files as multipart, with their name and the other parts', async () => {
    const { client, seen } = await answering('{"key":"k1"}')
    const file = new File([Buffer.from('%PDF-')], 'licence.pdf', { type: 'application/pdf' })
    expect(
      (
        await call(client, 'uploadPrivateAsset', {
          body: { file, name: 'licence', assetType: 'Document' },
        })
      ).value.key,
    ).toBe('k1')
    expect(seen[0]!.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/)
    for (const part of [
      'name="file"; filename="licence.pdf"',
      'application/pdf',
      '%PDF-',
      'name="assetType"',
      'Document',
      'name="name"',
      'licence',
    ])
      expect(seen[0]!.body).toContain(part)
  })

  it('downloads files byte by byte, and says for how long they may be kept', async () => {
    const bytes = Buffer.from([0xff, 0xd8, 0, 10, 13, 0x80])
    const told = await answering(bytes, {
      'content-type': 'image/jpeg',
      'cache-control': 'public, max-age=60',
    })
    expect(await call(told.client, 'getAsset', { parameters: { assetKey: 'k1' } })).toMatchObject({
      value: bytes,
      contentType: 'image/jpeg',
      cacheSeconds: 60,
    })
    const silent = await answering(bytes, { 'content-type': 'image/jpeg' })
    expect(
      (await call(silent.client, 'getAsset', { parameters: { assetKey: 'k1' } })).cacheSeconds,
      'documented: 30 days',
    ).toBe(2_592_000)
    expect(
      (await call(silent.client, 'getConsumerAsset', { parameters: { assetKey: 'k1' } }))
        .cacheSeconds,
    ).toBeUndefined()
  })

  it('has the consumer as a header or in the query, and the token of a login', async () => {
    const { client, seen } = await answering('{"accessToken":"t1","user":{"id":"c1"}}', {
      'x-auth-token': 't1',
    })
    const login = await call(client, 'loginConsumer', {
      body: { email: 'a@b.example', password: 'x' },
    })
    expect([login.value.accessToken, login.authToken]).toEqual(['t1', 't1'])
    await call(client, 'getConsumerUser', { consumer: { token: login.authToken! } })
    await call(client, 'getConsumerUser', { consumer: { cuid: 'c1' } })
    await call(client, 'getConsumerUser', { parameters: { cuid: 'c1' } })
    expect(
      seen.slice(1).map(({ url, headers }) => [url, headers['x-auth-token'], headers['cuid']]),
    ).toEqual([
      ['/api/v1/partner/store/user', 't1', undefined],
      ['/api/v1/partner/store/user', undefined, 'c1'],
      ['/api/v1/partner/store/user?cuid=c1', undefined, undefined],
    ])
  })

  it('sends no key to the one operation that takes none', async () => {
    const { client, seen } = await answering('<html>thank you</html>', {
      'content-type': 'text/html',
    })
    expect(
      (await call(client, 'receiveAchCallback', { parameters: { charge_id: 'c1' } })).value,
    ).toBe('<html>thank you</html>')
    expect([seen[0]!.headers['x-api-key'], seen[0]!.headers['authorization']]).toEqual([
      undefined,
      undefined,
    ])
  })

  it.each([
    ['{"values":[{"id":"1"}],"skip":0,"limit":100,"total":1}', 1],
    ['{"count":1,"total":1,"searchResult":[{"id":"1"}]}', 1],
    ['{"count":1,"cursor":"x","results":[{"id":"1"}]}', null],
    ['{"values":[{"id":"1"}]}', null],
    ['[{"id":"1"}]', null],
  ])('reads the list in %s', async (body, total) => {
    const { client } = await answering(body)
    for (const id of ['listVendors', 'listCategories', 'listTaxes'] as const)
      expect((await call(client, id, {})).value).toEqual({ items: [{ id: '1' }], total })
  })

  it('takes a success without a body where none is documented, and nowhere else', async () => {
    for (const status of [200, 204]) {
      const { client } = await answering('', {}, status)
      expect(
        (await call(client, 'deleteBrand', { parameters: { brandId: 'b1' } })).value,
      ).toBeUndefined()
      expect(
        (await call(client, 'acceptInventoryTransfer', { parameters: { historyId: 'h1' } })).value,
      ).toBeUndefined()
      await expect(
        call(client, 'getVendor', { parameters: { vendorId: 'v1' } }),
      ).rejects.toMatchObject({ code: status === 200 ? 'PARTNER_TRUNCATED' : 'PARTNER_NOT_API' })
    }
  })
})

describe('an answer that is not what the operation answers', () => {
  it.each([
    ['{"values":', 'PARTNER_TRUNCATED'],
    ['<html>Ann Example</html>', 'PARTNER_NOT_API'],
    ['{"field":"x","message":"Ann Example","errorType":"y"}', 'PARTNER_ERROR_BODY'],
    ['[{"field":"x","message":"Ann Example","errorType":"y"}]', 'PARTNER_ERROR_BODY'],
    ['[{"field":"x","message":"Ann Example"}]', 'PARTNER_ERROR_BODY'],
    ['{"values":[{"error":"x","message":"Ann Example"}],"total":1}', 'PARTNER_ERROR_BODY'],
    ['{"error":"x","message":"Ann Example","values":[],"total":0}', 'PARTNER_ERROR_BODY'],
    ['{"errorType":"x","values":[],"total":0}', 'PARTNER_ERROR_BODY'],
    ['{"errorType":"x","total":0}', 'PARTNER_ERROR_BODY'],
    ['{"errors":["Ann Example"],"values":[],"total":0}', 'PARTNER_ERROR_BODY'],
    ['{"success":false,"values":[],"total":0}', 'PARTNER_ERROR_BODY'],
    ['{"error":"x","message":"Ann Example","total":0}', 'PARTNER_ERROR_BODY'],
    ['{"message":"Ann Example","total":0}', 'PARTNER_ENVELOPE'],
    ['{"skip":0,"limit":100,"total":5}', 'PARTNER_ENVELOPE'],
    ['{"skip":0,"limit":100}', 'PARTNER_ENVELOPE'],
    ['{"values":{"name":"Ann Example"},"total":0}', 'PARTNER_ENVELOPE'],
    ['{"person":"Ann Example"}', 'PARTNER_ENVELOPE'],
    ['"Ann Example"', 'PARTNER_ENVELOPE'],
    ['null', 'PARTNER_ENVELOPE'],
  ])('is an error and not an empty list: %s', async (body, code) => {
    const { client } = await answering(body)
    const error: unknown = await call(client, 'listVendors', {}).catch((cause: unknown) => cause)
    expect(error).toMatchObject({ code })
    expect(String(error)).not.toContain('Ann')
  })

  it('is a list where nothing says that it failed', async () => {
    for (const body of [
      '{"error":false,"message":"ok","values":[],"total":0}',
      '{"values":null,"total":0}',
      '{"skip":0,"limit":100,"total":0}',
    ]) {
      const { client } = await answering(body)
      expect((await call(client, 'listVendors', {})).value).toEqual({ items: [], total: 0 })
    }
  })

  it('is an error where a record is a list, or a file is an error in JSON', async () => {
    await expect(
      call((await answering('[]')).client, 'getVendor', { parameters: { vendorId: 'v1' } }),
    ).rejects.toMatchObject({ code: 'PARTNER_ENVELOPE' })
    const { client } = await answering('{"field":"assetKey","message":"gone","errorType":"x"}', {
      'content-type': 'application/json',
    })
    await expect(call(client, 'getAsset', { parameters: { assetKey: 'k' } })).rejects.toMatchObject(
      { code: 'PARTNER_ERROR_BODY' },
    )
  })

  it('names the operation, never what stands in its path or query', async () => {
    const { client } = await answering('{}', {}, 404)
    const error = (await call(client, 'getMemberByEmail', {
      parameters: { email: 'ann@mail.example' },
    }).catch((cause: unknown) => cause)) as Error
    expect(error.message).toMatch(
      /^GET \/api\/v1\/partner\/members\/email\/\{email\} of .* answered 404$/,
    )
    const phone = (await call(client, 'searchMembersByPhone', {
      parameters: { phone: '5550100' },
    }).catch((cause: unknown) => cause)) as Error
    expect(phone.message).not.toContain('5550100')
  })

  it('was sent once: a write that got no answer is for the caller to look into', async () => {
    let requests = 0
    const client = await clientOf(request => {
      requests++
      request.socket.destroy()
    })
    await expect(call(client, 'createVendor', { body: { name: 'x' } })).rejects.toMatchObject({
      code: 'PARTNER_UNREACHABLE',
      remedy: expect.stringContaining('Nobody knows whether it arrived') as string,
    })
    expect(requests).toBe(1)
  })
})
