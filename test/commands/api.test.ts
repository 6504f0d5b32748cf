import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { api } from '../../commands/api.ts'
import type { ApiOptions } from '../../commands/api.ts'
import { loadConfig } from '../../config.ts'
import { STORE_PATH } from '../../connectors/partner/store-info.ts'
import { serve } from '../reading/list-server.ts'

const PARTNER_KEY = 'partner/key+4711'
const DEVELOPER_KEY = 'developer-key-0815'
const folder = mkdtempSync(join(tmpdir(), 'tillage-api-'))
afterAll(() => rmSync(folder, { recursive: true }))

const file = (name: string, text: string | Buffer): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

interface Outcome {
  status: number
  printed: string
  logged: string
}

interface Asked {
  method: string
  url: string
  body: string
  headers: Record<string, unknown>
}

/**
 * Runs the command against a server that answers the same each time; tells what the server was
 * asked.
 */
async function run(
  method: string | undefined,
  path: string | undefined,
  options: ApiOptions & { json?: boolean; stores?: string[] } = {},
  answer: { status?: number; body?: string | Buffer; headers?: Record<string, string> } = {},
): Promise<Outcome & { asked: Asked[] }> {
  const asked: Asked[] = []
  const listener: RequestListener = (request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      // Before something changes, whose shop it is; most tests here are about what follows.
      if (request.url === STORE_PATH && path?.endsWith('/store') !== true)
        return void response.end('{"shop":{"id":"S1"}}')
      asked.push({
        method: request.method!,
        url: request.url!,
        body: Buffer.concat(parts).toString('latin1'),
        headers: request.headers,
      })
      response.writeHead(answer.status ?? 200, answer.headers ?? {}).end(answer.body ?? '{}')
    })
  }
  const baseUrl = await serve(listener)
  const { stores = ['downtown'], json = false, ...rest } = options
  const config = file(
    'tillage.yaml',
    JSON.stringify({
      stores: stores.map(id => ({
        id,
        baseUrl,
        partnerKey: PARTNER_KEY,
        developerKey: DEVELOPER_KEY,
      })),
    }),
  )
  const printed: string[] = []
  const logged: string[] = []
  const terminal = {
    json,
    print: (text: string) => void printed.push(text),
    log: (line: string) => void logged.push(line),
    progress: () => {},
  }
  const status = await api(
    {
      terminal,
      signal: new AbortController().signal,
      get config() {
        return loadConfig(config, {})
      },
    },
    rest,
    method,
    path,
  )
  return { status, printed: printed.join('\n'), logged: logged.join('\n'), asked }
}

describe('api', () => {
  it.each([
    ['/members/{memberId}', ['memberId=m 1']],
    ['/members/{id}', ['id=m 1']],
    ['/api/v1/partner/members/{memberId}', ['memberId=m 1']],
    ['members/m%201', []],
    ['/api/v1/partner/members/m 1/', []],
  ])('calls GET %s, however it is written', async (path, param) => {
    const { status, printed, asked } = await run(
      'get',
      path,
      { param },
      { body: '{"id":"m 1","loyaltyPoints":10.50}' },
    )
    expect(status).toBe(0)
    expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /api/v1/partner/members/m%201',
    ])
    expect(printed).toBe('{\n  "id": "m 1",\n  "loyaltyPoints": 10.50\n}')
  })

  it('sends parameters where they belong: query, repeated, header', async () => {
    const { asked } = await run('GET', '/store/user?cuid=c1', { param: ['X-Auth-Token=t1'] })
    expect([asked[0]!.url, asked[0]!.headers['x-auth-token']]).toEqual([
      '/api/v1/partner/store/user?cuid=c1',
      't1',
    ])
    expect(
      (
        await run(
          'GET',
          '/store/inventory/products',
          { param: ['tags=a', 'tags=b=c'] },
          { body: '[]' },
        )
      ).asked[0]!.url,
    ).toBe('/api/v1/partner/store/inventory/products?tags=a&tags=b%3Dc')
    expect((await run('GET', '/store/user')).logged).toContain('needs a consumer: --param cuid')
    const driver = await run('GET', '/employees/drivers/auto-assigned', {
      param: ['cuid=c1', 'colour=green'],
    })
    expect([driver.asked[0]!.url, driver.asked[0]!.headers['cuid']]).toEqual([
      '/api/v1/partner/employees/drivers/auto-assigned?colour=green',
      'c1',
    ])
    expect(driver.logged).toContain('colour is not documented')
  })

  it('sends a body as it stands in its file, tells what goes where, and what the contract expects', async () => {
    const body = '{"active":true,"credits":0.10000000000000000001}'
    const { status, asked, logged } = await run('POST', '/vendors', {
      body: file('vendor.json', body),
    })
    expect(status).toBe(0)
    expect([asked[0]!.body, asked[0]!.headers['content-type']]).toEqual([body, 'application/json'])
    expect(logged).toMatch(
      /POST http:.*\/api\/v1\/partner\/vendors for store downtown, with a JSON body of 48 bytes/,
    )
    expect(logged).toContain('expects otherwise: name')
  })

  it('uploads and downloads files', async () => {
    const bytes = Buffer.from([0x89, 0x50, 0, 255])
    const upload = await run('POST', '/asset/upload/public', {
      body: file('logo.png', bytes),
      param: ['name=logo', 'assetType=Photo'],
    })
    for (const part of [
      'filename="logo.png"',
      bytes.toString('latin1'),
      'Content-Type: image/png',
      'name="assetType"',
      'Photo',
    ])
      expect(upload.asked[0]!.body).toContain(part)
    expect(upload.asked[0]!.url).toBe('/api/v1/partner/asset/upload/public')
    const out = join(folder, 'downloaded.png')
    const download = await run(
      'GET',
      '/asset/k1',
      { out, json: true },
      { body: bytes, headers: { 'content-type': 'image/png', 'cache-control': 'max-age=2592000' } },
    )
    expect(readFileSync(out).equals(bytes)).toBe(true)
    expect(JSON.parse(download.printed)).toEqual({
      file: out,
      bytes: 4,
      contentType: 'image/png',
      cacheControl: 'max-age=2592000',
    })
  })

  it('ends with 1 when the API refuses, with what it said on stderr and one document on stdout', async () => {
    const refused = await run(
      'GET',
      '/store',
      { json: true },
      { status: 400, body: '{"field":"x","message":"is wrong","errorType":"bad"}' },
    )
    expect(refused.status).toBe(1)
    expect(JSON.parse(refused.printed)).toMatchObject({ error: { code: 'PARTNER_REFUSED' } })
    expect(refused.logged).toContain('"message":"is wrong"')
    expect((await run('GET', '/vendors', {}, { body: '{"nothing":"known"}' })).status).toBe(1)
    expect(
      await run('DELETE', '/brands/b1', { json: true }, { status: 204, body: '' }),
    ).toMatchObject({ status: 0, printed: 'null' })
  })

  it('never prints a key, wherever the API echoes it', async () => {
    const echoes = [PARTNER_KEY, DEVELOPER_KEY].flatMap(key => [
      key,
      key.toUpperCase(),
      encodeURIComponent(key),
      Buffer.from(key).toString('base64'),
      key.replaceAll('/', '\\/'),
    ])
    const body = JSON.stringify({
      id: echoes[0],
      echoes,
      field: echoes[0],
      message: echoes.join(' '),
    })
      .replaceAll('/', '\\/')
      .replaceAll('-', '\\u002d')
    for (const status of [200, 401, 500]) {
      for (const json of [true, false]) {
        const { printed, logged } = await run(
          'GET',
          '/store',
          { json, param: [`strange=${PARTNER_KEY}`] },
          { status, body },
        )
        for (const echo of echoes)
          expect(`${printed}\n${logged}`.toLowerCase()).not.toContain(echo.toLowerCase())
        expect(`${printed}${logged}`).toContain('***')
      }
    }
  })

  it('sends nothing with --dry-run, nor to a GET that changes something without --write', async () => {
    const dry = await run('DELETE', '/brands/b1', { dryRun: true, json: true })
    expect([dry.status, dry.asked]).toEqual([0, []])
    expect(JSON.parse(dry.printed)).toMatchObject({
      method: 'DELETE',
      path: '/api/v1/partner/brands/b1',
      sent: false,
    })
    await expect(run('GET', '/transactions/t1/start')).rejects.toMatchObject({
      code: 'USAGE',
      remedy: expect.stringContaining('--write') as string,
    })
    expect((await run('GET', '/transactions/t1/start', { write: true })).asked).toHaveLength(1)
  })

  it.each([
    ['an unknown path', 'GET', '/membres', {}, /there is no operation GET \/membres/],
    ['a missing parameter', 'GET', '/members/{memberId}', {}, /needs memberId/],
    ['a parameter that leaves its path', 'GET', '/members/..', {}, /needs memberId/],
    ['a parameter without a value', 'GET', '/store', { param: ['x'] }, /no name and value/],
    [
      'a body that is not JSON',
      'POST',
      '/vendors',
      { body: file('broken.json', '{"name":') },
      /broken\.json is not JSON/,
    ],
    [
      'a body that is not there',
      'POST',
      '/vendors',
      { body: join(folder, 'nowhere.json') },
      /nowhere\.json cannot be read/,
    ],
    ['a body for a GET', 'GET', '/store', { body: file('store.json', '{}') }, /takes no body/],
    ['a file without a place', 'GET', '/asset/k1', {}, /answers a file/],
    [
      'a change without a store',
      'DELETE',
      '/brands/b1',
      { stores: ['downtown', 'harbor'] },
      /there are several stores/,
    ],
    ['no path', 'GET', undefined, {}, /needs a method and a path/],
    ['an unknown group', undefined, undefined, { list: 'weather' }, /there is no group "weather"/],
  ])('refuses %s before it sends anything', async (_, method, path, options, message) => {
    await expect(run(method, path, options)).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringMatching(message) as string,
    })
  })

  it('lists all operations, or those of a group with what they take and what is not shown', async () => {
    const { printed: all } = await run(undefined, undefined, { list: true })
    expect(all.match(/^ {2}.*\b(?:GET|POST|PUT|DELETE) /gm)).toHaveLength(158)
    const { printed } = await run(undefined, undefined, { list: 'reconciliations' })
    for (const words of [
      'POST /reconciliations',
      'permission PERFORM_RECONCILIATION',
      '--body FILE',
      'Not shown: ',
    ])
      expect(printed).toContain(words)
    const { printed: long } = await run(undefined, undefined, { list: 'transactions' })
    expect(long.split('\n').filter(line => line.length > 80)).toEqual([])
    const { operations: listed } = JSON.parse(
      (await run(undefined, undefined, { list: 'store-inventory', json: true })).printed,
    ) as { operations: object[] }
    expect(listed).toHaveLength(9)
  })
})
