import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { parseRetryAfter } from '../../../connectors/partner/refusal.ts'
import { STORE_PATH } from '../../../connectors/partner/store-info.ts'
import type { PartnerError } from '../../../errors.ts'
import { answering, clientOf, DEVELOPER_KEY, failureOf, PARTNER_KEY } from './asking.ts'

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
    ['', /^GET \/store of http:\/\/127.0.0.1:\d+ answered/, /tillage\.yaml\.$/],
    ['/', /:\d+ answered/, /tillage\.yaml\.$/],
    ['/hidden-4711', /:\d+, below the path in baseUrl, answered/, /above all its path\.$/],
    ['/hidden-4711/API/v1/partner/', /below the path in/, /it ends with \/api\/v1\/partner, and/],
    ['/hidden-4711/api/v1', /below the path in/, /it ends with \/api\/v1, and .* leave it out\.$/],
    ['/hidden-4711/api', /below the path in baseUrl, answered/, /it ends with \/api, and/],
  ])('with a base address whose path is "%s" says as much of it', async (path, says, advises) => {
    const client = await clientOf(answering(404, body), { path })
    const error = (await client.get('/store', {}).catch((cause: unknown) => cause)) as PartnerError
    expect(error.message).toMatch(says)
    expect(error.remedy).toMatch(advises)
    expect(error.remedy).not.toContain('window')
    expect(`${error.message} ${error.remedy}`).not.toContain('hidden')
  })

  it('is quoted where a key may not even ask for its store, without a part of that key', async () => {
    const saidOf = async (status: number, message: string, path = STORE_PATH) => {
      const client = await clientOf(answering(status, JSON.stringify({ message })))
      const error = await client.get(path, {}).catch((cause: unknown) => cause)
      expect((error as PartnerError).message).not.toContain('access')
      return (error as PartnerError).said
    }
    const reason = 'no access to this shop'
    expect(await saidOf(403, reason)).toBe(reason)
    expect(await saidOf(403, `${reason}: ask ann@example.com`)).toBe(`${reason}: ask ***`)
    for (const key of [PARTNER_KEY, DEVELOPER_KEY])
      for (const part of [key, key.toUpperCase(), key.slice(0, 7), key.slice(-6), btoa(key)])
        expect(await saidOf(403, `${reason} for ${part}`)).toBeUndefined()
    expect(await saidOf(401, reason)).toBeUndefined()
    expect(await saidOf(403, reason, '/api/v1/partner/members')).toBeUndefined()
  })

  it.each([
    ['https://partner.example/Ann-Smith?key=k', ', a redirect to https://partner.example;'],
    ['/Ann-Smith', '301, a redirect to another path there; expected 200'],
    ['javascript:alert(1)', '301; expected 200'],
  ])('with a redirect to %s says no more than whose host it is', async (location, words) => {
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
    expect(await failureOf(answering(status, '', { 'retry-after': '6.5' }))).toMatchObject({
      retryAfterMs: 6500,
      remedy: 'The API asks to be left alone for 7 s.',
    })
    expect((await failureOf(answering(status, ''))).remedy).toBeUndefined()
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
