import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startMetricsServer } from '../../metrics/server.ts'
import type { MetricsServer, Readiness } from '../../metrics/server.ts'

let readiness: Readiness
let page: () => Promise<string>
let server: MetricsServer
beforeEach(async () => {
  readiness = { worker: true, database: true, temporal: true }
  page = () => Promise.resolve('tillage_build_info 1\n')
  server = await startMetricsServer(
    { host: '127.0.0.1', port: 0 },
    { metrics: () => page(), ready: () => Promise.resolve(readiness) },
  )
})
afterEach(() => server.close())

const get = async (path: string): Promise<[number, string]> => {
  const answer = await fetch(`http://${server.address}${path}`)
  return [answer.status, await answer.text()]
}

it('each page is at its address, and nothing is elsewhere', async () => {
  expect(await get('/metrics')).toEqual([200, 'tillage_build_info 1\n'])
  expect(await get('/live')).toEqual([200, 'live\n'])
  expect((await get('/ready'))[0]).toBe(200)
  expect((await get('/'))[0]).toBe(404)
})

/** What `fetch` would not send. */
const ask = (method: string, host: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request(`http://${server.address}/metrics`, { method, headers: { host } }, answer => {
      resolve(answer.statusCode)
      answer.resume()
    })
      .on('error', reject)
      .end()
  })

it('only reading is answered, and on loopback only under a name of this machine', async () => {
  expect(await ask('HEAD', 'localhost:9464')).toBe(200)
  for (const method of ['POST', 'PUT', 'DELETE', 'TRACE', 'OPTIONS'])
    expect(await ask(method, server.address)).toBe(405)
  for (const host of ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example:80'])
    expect(await ask('GET', host)).toBe(421)
})

it('whoever sends slowly is not waited for', async () => {
  const [host, port] = server.address.split(':') as [string, string]
  const slow = connect(Number(port), host)
  slow.write('GET /live HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')
  const dripping = setInterval(() => slow.write('x'), 100)
  const [answer] = (await once(slow, 'data')) as [Buffer]
  clearInterval(dripping)
  slow.destroy()
  expect(answer.toString()).toMatch(/^HTTP\/1.1 408 /)
})

it.each(['worker', 'database', 'temporal'] as const)(
  'without its %s it is not ready',
  async what => {
    readiness[what] = false
    const [status, body] = await get('/ready')
    expect([status, JSON.parse(body)]).toEqual([503, readiness])
  },
)

it('figures that cannot be read are 503 with the reason, and the next page may work', async () => {
  page = () => Promise.reject(new Error('the database is busy'))
  expect(await get('/metrics')).toEqual([503, 'the database is busy\n'])
  expect((await get('/live'))[0]).toBe(200)
})

it('an address that another program has is named', async () => {
  const [host, port] = server.address.split(':') as [string, string]
  const pages = { metrics: page, ready: () => Promise.resolve(readiness) }
  await expect(startMetricsServer({ host, port: Number(port) }, pages)).rejects.toThrow(
    `metrics cannot listen on ${server.address} (EADDRINUSE)`,
  )
})
