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
