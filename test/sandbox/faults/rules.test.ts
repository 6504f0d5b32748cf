import { beforeEach, expect, it } from 'vitest'
import type { Sandbox } from '../../../sandbox/server.ts'
import { waitFor } from '../../helpers/project.ts'
import { ask, control, keysOf, sandboxWith, send } from '../asking.ts'

const LIST = '/transactions?startDate=03/09/2026&endDate=03/14/2026'
const statuses = async (sandbox: Sandbox, count: number, path = LIST): Promise<number[]> => {
  const seen: number[] = []
  for (let at = 0; at < count; at++) seen.push((await ask(sandbox, path)).status)
  return seen
}

let sandbox: Sandbox
beforeEach(async () => {
  sandbox = await sandboxWith({ stores: 2, transactionsPerDay: 20 })
})

it('answers a status with Retry-After for the matching paths, as often as asked', async () => {
  await control(sandbox, 'POST', '/faults', {
    match: '/transactions\\?',
    status: 429,
    retryAfter: 3,
    times: 2,
    after: 1,
  })
  expect(await statuses(sandbox, 1)).toEqual([200])
  const limited = await ask(sandbox, LIST)
  expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '3'])
  expect(Object.keys(JSON.parse(limited.text) as object)).toEqual(['field', 'message', 'errorType'])
  expect((await ask(sandbox, '/vendors')).status).toBe(200)
  expect(await statuses(sandbox, 2)).toEqual([429, 200])
})

it('hits a share of the requests, the same ones each time', async () => {
  await control(sandbox, 'POST', '/faults', [{ status: 503, rate: 0.4 }])
  const first = await statuses(sandbox, 30, '/store')
  await control(sandbox, 'POST', '/reset')
  await control(sandbox, 'POST', '/faults', [{ status: 503, rate: 0.4 }])
  expect(await statuses(sandbox, 30, '/store')).toEqual(first)
  const hit = first.filter(status => status === 503).length
  expect(hit).toBeGreaterThan(3)
  expect(hit).toBeLessThan(27)
})

it('hangs up in the middle of a body', async () => {
  await control(sandbox, 'POST', '/faults', { drop: true, times: 1 })
  const response = await fetch(`${sandbox.baseUrl}/api/v1/partner${LIST}`, {
    headers: keysOf(sandbox),
  })
  expect(response.status).toBe(200)
  await expect(response.text()).rejects.toThrow()
  expect(await statuses(sandbox, 1)).toEqual([200])
  const { requests } = JSON.parse((await control(sandbox, 'GET', '/requests')).text) as {
    requests: { status: number }[]
  }
  expect(requests.map(({ status }) => status)).toEqual([0, 200])
})

it('cuts JSON so that it arrives whole, under 200', async () => {
  const whole = await ask(sandbox, LIST)
  await control(sandbox, 'POST', '/faults', { truncate: true, times: 1 })
  const cut = await ask(sandbox, LIST)
  expect(cut.status).toBe(200)
  expect(whole.text.startsWith(cut.text)).toBe(true)
  expect(Number(cut.headers.get('content-length'))).toBe(Buffer.byteLength(cut.text))
  expect(() => {
    JSON.parse(cut.text)
  }).toThrow()
})

it('answers HTML, under the status that the rule names', async () => {
  await control(sandbox, 'POST', '/faults', [
    { html: true, times: 1 },
    { html: true, status: 502, times: 1, after: 1 },
  ])
  const [ok, bad] = [await ask(sandbox, LIST), await ask(sandbox, LIST)]
  expect([ok.status, bad.status]).toEqual([200, 502])
  expect(ok.headers.get('content-type')).toContain('text/html')
})

it('waits, and never answers what hangs', async () => {
  await control(sandbox, 'POST', '/faults', [
    { match: 'vendors', hang: true },
    { match: 'store$', latencyMs: 40 },
  ])
  const started = performance.now()
  expect((await ask(sandbox, '/store')).status).toBe(200)
  expect(performance.now() - started).toBeGreaterThan(35)
  await expect(
    fetch(`${sandbox.baseUrl}/api/v1/partner/vendors`, {
      headers: keysOf(sandbox),
      signal: AbortSignal.timeout(60),
    }),
  ).rejects.toThrow()
})

it('lets go what waits when the rules are cleared', async () => {
  await control(sandbox, 'POST', '/faults', { match: 'store$', latencyMs: 3_600_000 })
  let isAnswered = false
  const waiting = ask(sandbox, '/store').finally(() => void (isAnswered = true))
  const hasFired = async (): Promise<boolean> =>
    (await control(sandbox, 'GET', '/faults')).text.includes('"fired":1')
  await waitFor(hasFired, 'the rule to fire')
  expect(isAnswered).toBe(false)
  await control(sandbox, 'DELETE', '/faults')
  expect((await waiting).status).toBe(200)
})

it('carries a request out after whoever sent it was cut off', async () => {
  const vendors = async (): Promise<number> =>
    (JSON.parse((await ask(sandbox, '/vendors')).text) as { total: number }).total
  const before = await vendors()
  await control(sandbox, 'POST', '/faults', { method: 'POST', commitAfterMs: 3_600_000 })
  await expect(send(sandbox, 'POST', '/vendors', { name: 'Late Farms' })).rejects.toThrow()
  expect(await vendors()).toBe(before)
  await control(sandbox, 'DELETE', '/faults')
  await waitFor(async () => (await vendors()) === before + 1, 'the vendor to be there')
})

it('limits the rate for each store by itself', async () => {
  await control(sandbox, 'POST', '/faults', { rateLimit: { perSecond: 1, retryAfter: 1 } })
  const answers = await Promise.all(Array.from({ length: 40 }, async () => ask(sandbox, '/store')))
  const limited = answers.filter(answer => answer.status === 429)
  expect(limited.length).toBeGreaterThan(20)
  expect(limited[0]!.headers.get('retry-after')).toBe('1')
  expect((await ask(sandbox, '/store', { store: 1 })).status).toBe(200)
})

it('forgets the rules on DELETE and says what is wrong with one', async () => {
  await control(sandbox, 'POST', '/faults', { status: 500 })
  expect(await statuses(sandbox, 1)).toEqual([500])
  await control(sandbox, 'DELETE', '/faults')
  expect(await statuses(sandbox, 1)).toEqual([200])
  for (const rule of [{ statsu: 500 }, { match: '(' }])
    expect((await control(sandbox, 'POST', '/faults', rule)).status).toBe(400)
})
