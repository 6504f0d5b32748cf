import type { RequestListener } from 'node:http'
import { deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createPartnerClient } from '../../../connectors/partner/client.ts'
import type { PartnerError } from '../../../errors.ts'
import { serve } from '../../reading/list-server.ts'
import { answering, clientOf, DEVELOPER_KEY, failureOf, PARTNER_KEY } from './asking.ts'

/** Where the machine is busy the header may be late as well: then both get more time. */
async function failureOfBody(timeoutMs: number): Promise<PartnerError> {
  const begin: RequestListener = (_, response) => void response.writeHead(200).write('{"values":[')
  const error = await failureOf(begin, { timeoutMs })
  const isLate = error.message.includes('UND_ERR_HEADERS_TIMEOUT') && timeoutMs < 60_000
  return isLate ? failureOfBody(timeoutMs * 10) : error
}

describe('a request', () => {
  it('carries both keys as headers, the query, and the path under the base address', async () => {
    let seen: unknown
    const client = await clientOf(
      (request, response) => {
        seen = [
          request.method,
          request.url,
          request.headers['x-api-key'],
          request.headers.authorization,
        ]
        response.end('{}')
      },
      { path: '/proxy/' },
    )
    await client.get('/api/v1/partner/transactions', { startDate: '01/02/2026', skip: '99' })
    expect(seen).toEqual([
      'GET',
      '/proxy/api/v1/partner/transactions?startDate=01%2F02%2F2026&skip=99',
      PARTNER_KEY,
      DEVELOPER_KEY,
    ])
  })

  it.each([
    ['plain', {}, (body: string) => Buffer.from(body)],
    ['gzip', { 'content-encoding': 'gzip' }, gzipSync],
    ['deflate', { 'content-encoding': 'deflate' }, deflateSync],
  ] as const)('gets the bytes of a %s answer', async (_, headers, encode) => {
    const body = JSON.stringify({ values: [{ total: 'ä'.repeat(100_000) }] })
    const client = await clientOf(
      (_, response) => void response.writeHead(200, headers).end(encode(body)),
    )
    expect((await client.get('/', {})).toString('utf8')).toBe(body)
  })

  it.each([Buffer.from, gzipSync])(
    'passes over a byte order mark before the JSON',
    async encode => {
      const headers = encode === gzipSync ? { 'content-encoding': 'gzip' } : {}
      const client = await clientOf(
        (_, response) => void response.writeHead(200, headers).end(encode('\ufeff{"a":"\ufeff"}')),
      )
      expect((await client.get('/', {})).toString('utf8')).toBe('{"a":"\ufeff"}')
    },
  )

  it.each([
    ['application/json; charset=ISO-8859-1', 'latin1'],
    ['text/plain;Charset="windows-1252"', 'latin1'],
    ['application/vnd.api+json; charset=utf-16', 'utf16le'],
    ['application/json; charset=ISO-8859-1', 'utf8'],
  ] as const)('reads an answer of type %s that is %s', async (type, encoding) => {
    const json = JSON.stringify({ name: 'Zoë Núñez' })
    const client = await clientOf(
      (_, response) =>
        void response.writeHead(200, { 'content-type': type }).end(Buffer.from(json, encoding)),
    )
    expect((await client.get('/', {})).toString('utf8')).toBe(json)
  })

  it.each([
    ['image/jpeg; charset=ISO-8859-1', 'a picture'],
    ['application/json; charset=klingon', 'an unknown charset'],
    ['application/json', 'no charset'],
  ])('leaves the bytes of %s as they are: %s', async type => {
    const bytes = Buffer.from('{"a":"caf\xe9"}', 'latin1')
    const client = await clientOf(
      (_, response) => void response.writeHead(200, { 'content-type': type }).end(bytes),
    )
    expect(await client.get('/', {})).toEqual(bytes)
  })

  it('understands a Content-Encoding in capitals', async () => {
    const client = await clientOf(
      (_, response) =>
        void response.writeHead(200, { 'content-encoding': 'GZIP' }).end(gzipSync('{"a":1}')),
    )
    expect((await client.get('/', {})).toString('utf8')).toBe('{"a":1}')
  })

  it('passes over identity beside an encoding, and names one that nobody asked for', async () => {
    const answering = (encoding: string, body: Buffer) =>
      clientOf(
        (_, response) => void response.writeHead(200, { 'content-encoding': encoding }).end(body),
      ).then(client => client.get('/', {}))
    const body = gzipSync('{"a":1}')
    expect((await answering('identity, gzip', body)).toString('utf8')).toBe('{"a":1}')
    expect((await answering('identity', Buffer.from('{}'))).toString('utf8')).toBe('{}')
    for (const odd of ['br', 'zstd', 'gzip, gzip', 'compress'])
      await expect(answering(odd, gzipSync(body))).rejects.toMatchObject({
        code: 'PARTNER_NOT_API',
        message: expect.stringContaining(`with the Content-Encoding ${odd}; only gzip`) as string,
      })
    await expect(answering('Member FIRST LAST', body)).rejects.toThrow('Content-Encoding another;')
  })

  it('is whole where it is empty, whatever its Content-Encoding says', async () => {
    for (const status of [200, 201, 204])
      for (const encoding of ['gzip', 'deflate', 'br']) {
        const client = await clientOf(answering(status, '', { 'content-encoding': encoding }))
        const answer = await client.send({ method: 'PUT', path: '/', body: '{}' })
        expect(answer).toMatchObject({ status, body: Buffer.alloc(0) })
      }
  })

  it('stops with the reason of whoever aborts it', async () => {
    const stop = new AbortController()
    const client = await clientOf(() => stop.abort(new Error('stopped by the test')))
    await expect(client.get('/', {}, stop.signal)).rejects.toThrow('stopped by the test')
  })
})

it('a key that no header can carry is refused before anything is sent, and not shown', async () => {
  let asked = 0
  const baseUrl = await serve((_, response) => void (asked++, response.end()))
  for (const odd of ['secret\n', 'secret\u00e9', 'sec\u0000ret']) {
    const client = createPartnerClient({ baseUrl, partnerKey: 'p', developerKey: odd })
    const refused = (await client.get('/', {}).catch((error: unknown) => error)) as PartnerError
    expect(refused.code).toBe('PARTNER_KEYS')
    expect(refused.message).toContain('developerKey holds a line break')
    expect(refused.message).not.toContain('sec')
    await client.close()
  }
  expect(asked).toBe(0)
})

describe('no whole answer', () => {
  it('is unreachable where the connection is dropped before, or in the middle of, the answer', async () => {
    const before = await failureOf(request => request.socket.destroy())
    const middle = await failureOf((request, response) => {
      response.writeHead(200, { 'content-length': '1000' })
      response.write('{"values":[', () => request.socket.destroy())
    })
    for (const error of [before, middle])
      expect(error).toMatchObject({ code: 'PARTNER_UNREACHABLE', recovery: 'retry' })
  })

  it('is unreachable where no header, or no further byte, comes in time', async () => {
    const header = await failureOf(() => {}, { timeoutMs: 60 })
    const body = await failureOfBody(60)
    expect(header).toMatchObject({
      code: 'PARTNER_UNREACHABLE',
      message: expect.stringContaining('UND_ERR_HEADERS_TIMEOUT') as string,
    })
    expect(body).toMatchObject({
      code: 'PARTNER_UNREACHABLE',
      message: expect.stringContaining('UND_ERR_BODY_TIMEOUT') as string,
    })
  })
})
