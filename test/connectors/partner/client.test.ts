import { randomBytes } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { deflateSync, gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { createPartnerClient } from '../../../connectors/partner/client.ts'
import type { PartnerClient, PartnerCredentials } from '../../../connectors/partner/client.ts'
import { parseRetryAfter } from '../../../connectors/partner/refusal.ts'
import { PartnerError } from '../../../errors.ts'
import { serve } from '../../reading/list-server.ts'

const PARTNER_KEY = 'partner-key-4711'
const DEVELOPER_KEY = 'developer/key+0815'
const clients: PartnerClient[] = []

async function clientOf(
  listener: RequestListener,
  options: { path?: string; timeoutMs?: number; limits?: PartnerCredentials['limits'] } = {},
): Promise<PartnerClient> {
  const baseUrl = `${await serve(listener)}${options.path ?? ''}`
  const client = createPartnerClient(
    {
      baseUrl,
      partnerKey: PARTNER_KEY,
      developerKey: DEVELOPER_KEY,
      ...(options.limits === undefined ? {} : { limits: options.limits }),
    },
    options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs },
  )
  clients.push(client)
  return client
}

afterAll(() => Promise.all(clients.map(client => client.close())))
const answering =
  (status: number, body: string, headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(status, headers).end(body)

async function failureOf(
  listener: RequestListener,
  options: { timeoutMs?: number } = {},
): Promise<PartnerError> {
  const error: unknown = await (
    await clientOf(listener, options)
  )
    .get('/api/v1/partner/members', { skip: '0' })
    .catch((cause: unknown) => cause)
  expect(error).toBeInstanceOf(PartnerError)
  return error as PartnerError
}

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

describe('an answer that is too slow', () => {
  /** Bytes that come steadily, so that no pause between two of them is too long. */
  const drip =
    (chunk: Buffer, everyMs: number, times = Infinity): RequestListener =>
    (_, response) => {
      let left = times
      const more = (): void => {
        if (left-- > 0) response.write(chunk)
        else response.end()
      }
      const timer = setInterval(more, everyMs)
      response.on('close', () => clearInterval(timer))
      response.writeHead(200).flushHeaders()
    }

  it('is given up after the time for an answer, although bytes keep coming', async () => {
    const client = await clientOf(drip(Buffer.from(' '), 20), { limits: { secondsPerAnswer: 0.3 } })
    await expect(client.get('/', {})).rejects.toMatchObject({
      code: 'PARTNER_TOO_SLOW',
      recovery: 'park',
      message: expect.stringContaining('after 0.3 s') as string,
    })
  })

  it('of a write is an unknown outcome as before', async () => {
    const client = await clientOf(drip(Buffer.from(' '), 20), { limits: { secondsPerAnswer: 0.3 } })
    await expect(client.send({ method: 'POST', path: '/' })).rejects.toMatchObject({
      code: 'PARTNER_UNREACHABLE',
    })
  })

  it('has more time where it is large, and comes in whole', async () => {
    const client = await clientOf(drip(Buffer.alloc(100_000), 30, 20), {
      limits: { secondsPerAnswer: 0.3 },
    })
    expect((await client.get('/', {})).length).toBe(2_000_000)
  })
})

describe('an answer in pieces', () => {
  it.each([true, false])('is put together byte by byte, its length told: %s', async isTold => {
    const body = randomBytes(300_000)
    const pieces = [0, 1, 65_537, 65_538, 200_000].map((from, index, starts) =>
      body.subarray(from, starts[index + 1]),
    )
    const client = await clientOf((_, response) => {
      response.writeHead(200, isTold ? { 'content-length': body.length } : {})
      const more = (): void => {
        const piece = pieces.shift()
        if (piece === undefined) response.end()
        else response.write(piece, () => setImmediate(more))
      }
      more()
    })
    const { body: received } = await client.send({ method: 'GET', path: '/', query: {} })
    expect(received.equals(body)).toBe(true)
    // Or nobody could free it.
    expect(received.buffer.byteLength).toBe(received.length)
  })
})

describe('an answer that is too large', () => {
  const limits = { megabytesPerAnswer: 1 }
  const TOO_LARGE = { code: 'PARTNER_TOO_LARGE', recovery: 'park' }

  it('is refused while it is inflated: a gzip bomb costs no more than the limit', async () => {
    const bomb = gzipSync(Buffer.alloc(60_000_000))
    expect(bomb.length).toBeLessThan(100_000)
    const client = await clientOf(
      (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
      { limits },
    )
    await expect(client.get('/', {})).rejects.toMatchObject({
      ...TOO_LARGE,
      message: expect.stringContaining('more than 1 MB') as string,
    })
  })

  it('is refused while it comes in, and the connection is given up', async () => {
    let closed: () => void
    const gone = new Promise<void>(resolve => (closed = resolve))
    const client = await clientOf(
      (_, response) => {
        const more = (): void => void (response.write(Buffer.alloc(100_000)) && setImmediate(more))
        response.on('close', closed).on('drain', more)
        more()
      },
      { limits },
    )
    await expect(client.get('/', {})).rejects.toMatchObject(TOO_LARGE)
    await gone
  })

  it('is refused by the length that it announces, before it is read', async () => {
    const client = await clientOf(
      (_, response) => response.writeHead(200, { 'content-length': '1000001' }).flushHeaders(),
      { limits },
    )
    await expect(client.get('/', {})).rejects.toMatchObject(TOO_LARGE)
  })

  it('is taken up to the limit', async () => {
    const body = 'x'.repeat(1_000_000)
    const client = await clientOf((_, response) => void response.end(body), { limits })
    expect((await client.get('/', {})).length).toBe(body.length)
  })
})

describe('an answer that is no success', () => {
  const body = JSON.stringify({
    field: 'Authorization',
    message: 'is not valid',
    errorType: 'BadRequest',
  })

  it.each([
    [400, 'PARTNER_REFUSED', 'park'],
    [401, 'PARTNER_KEYS', 'fatal'],
    [403, 'PARTNER_PERMISSION', 'fatal'],
    [404, 'PARTNER_REFUSED', 'park'],
    [429, 'PARTNER_RATE_LIMIT', 'retry'],
    [500, 'PARTNER_UNAVAILABLE', 'retry'],
    [503, 'PARTNER_UNAVAILABLE', 'retry'],
    [204, 'PARTNER_NOT_API', 'retry'],
    [301, 'PARTNER_NOT_API', 'retry'],
    [302, 'PARTNER_NOT_API', 'retry'],
  ] as const)('with status %i is %s', async (status, code, recovery) => {
    const error = await failureOf(
      answering(status, status === 204 ? '' : body, { location: 'http://127.0.0.1:1/elsewhere' }),
    )
    expect(error).toMatchObject({ code, recovery })
    expect(error.message).toMatch(
      new RegExp(
        `^GET /api/v1/partner/members\\?skip=0 of http://127.0.0.1:\\d+ answered ${status}`,
      ),
    )
  })

  it('counts by its status where it says that it is compressed and is not', async () => {
    const headers = { 'content-encoding': 'gzip', 'retry-after': '7' }
    for (const words of ['slow down', '', gzipSync(body).subarray(0, 20).toString('latin1')])
      expect(await failureOf(answering(429, words, headers))).toMatchObject({
        code: 'PARTNER_RATE_LIMIT',
        retryAfterMs: 7000,
      })
    expect((await failureOf(answering(401, body, headers))).code).toBe('PARTNER_KEYS')
    expect((await failureOf(answering(200, body, headers))).code).toBe('PARTNER_TRUNCATED')
  })

  it.each([
    ['https://partner.example/Ann-Smith?key=k', ', a redirect to https://partner.example;'],
    ['/elsewhere', '301; expected 200'],
    ['javascript:alert(1)', '301; expected 200'],
  ])('with a redirect to %s says no more than its host', async (location, words) => {
    const { message } = await failureOf(answering(301, '', { location }))
    expect(message).toContain(words)
    expect(message).not.toContain('Ann')
  })

  it.each([
    ['the documented shape', body, 'BadRequest, Authorization'],
    [
      'the documented shape, dotted',
      '{"field":"cart.items[0].quantity","message":"no","errorType":"com.partner.exceptions.InvalidQuantityException"}',
      'com.partner.exceptions.InvalidQuantityException, cart.items[0].quantity',
    ],
    ['a list of it', `[${body}]`, 'BadRequest, Authorization'],
    [
      'the public shape',
      '{"error":"Too Many Requests","message":"needs READ","status":429}',
      'Too Many Requests',
    ],
    ['an HTML page', '<html><body>Person 4711 not found</body></html>', 'an HTML page'],
  ])('is told by its names and never by its free text, from %s', async (_, text, words) => {
    const { message } = await failureOf(answering(500, text))
    expect(message.split('answered 500: ')[1]).toBe(words)
  })

  it.each([
    'not json',
    '"text"',
    '[]',
    'null',
    '{"person":"Ann"}',
    '',
    '{"message":"m","errorType":"Member ANN SMITH is banned"}',
    '{"message":"m","errorType":"AnnSmith"}',
    '{"message":"m","errorType":"sKabcdefGHIJklmnopQRS"}',
    '{"message":"m","errorType":"ann.smith@example.com"}',
    '{"message":"m","error":"x","field":"ANN SMITH"}',
    '{"message":"m","error":"x","field":"annSmithsCard"}',
  ])('is not quoted where it is something else: %s', async text => {
    expect((await failureOf(answering(500, text))).message).toMatch(/answered 500$/)
  })

  it('never shows a key or a person, wherever and however the API echoes them', async () => {
    const person = 'Ann Example was born on 1990-01-01'
    const encodings = (key: string): string[] => [
      key,
      key.toLowerCase(),
      key.toUpperCase(),
      Buffer.from(key).toString('base64'),
      key.slice(0, -2),
    ]
    for (const status of [400, 401, 403, 429, 500, 302]) {
      for (const secret of [...encodings(PARTNER_KEY), ...encodings(DEVELOPER_KEY)]) {
        const error = await failureOf(
          answering(
            status,
            JSON.stringify({
              errorType: `key ${secret}`,
              field: secret,
              message: `${person} ${secret}`,
            }),
            { 'x-echo': secret },
          ),
        )
        const everything = [
          error.message,
          error.remedy,
          error.stack,
          JSON.stringify(error),
          String(error.cause),
        ].join('\n')
        expect(everything).not.toContain(secret)
        expect(everything).not.toContain('Ann')
      }
    }
  })
})

describe('Retry-After', () => {
  it.each([429, 503])('is passed on with a %i, in seconds or as a date', async status => {
    expect((await failureOf(answering(status, '', { 'retry-after': '7' }))).retryAfterMs).toBe(7000)
    const soon = (
      await failureOf(
        answering(status, '', { 'retry-after': new Date(Date.now() + 60_000).toUTCString() }),
      )
    ).retryAfterMs!
    expect(soon).toBeGreaterThan(55_000)
    expect(soon).toBeLessThanOrEqual(60_000)
    const date = 'Sun, 01 Mar 2026 08:00:00 GMT'
    const later = { date, 'retry-after': date.replace('08:00', '08:02') }
    expect((await failureOf(answering(status, '', later))).retryAfterMs).toBe(120_000)
    expect(
      (await failureOf(answering(status, '', { ...later, date: 'now' }))).retryAfterMs,
    ).not.toBe(120_000)
    expect((await failureOf(answering(status, ''))).retryAfterMs).toBeUndefined()
    expect(
      (await failureOf(answering(status, '', { 'retry-after': 'a while' }))).retryAfterMs,
    ).toBeUndefined()
  })

  it.each([
    ['0', undefined],
    ['1.5', 1500],
    [' 3 ', 3000],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['0.0', undefined],
    ['Wed, 31 Dec 2025 00:00:00 GMT', undefined],
    ['-5', undefined],
    ['', undefined],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 3_600_000],
    ['86400', 3_600_000],
    ['9'.repeat(400), 3_600_000],
    [undefined, undefined],
  ])('reads %o as %o milliseconds', (header, expected) => {
    expect(parseRetryAfter(header, Date.UTC(2026, 0, 1))).toBe(expected)
  })
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
