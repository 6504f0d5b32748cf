import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { toIso } from '../../calendar/days.ts'
import { T1, T2, T3 } from '../exports/sales/worked-example.ts'
import { bookkeeper, DAY } from './bookkeeper.ts'

type Trouble = (response: ServerResponse) => void

/**
 * An API that answers for single lots and products, and counts what it was asked; the first answers
 * are troubles, where there are some.
 */
async function apiOf(lots: Record<string, object>) {
  const troubles: Trouble[] = []
  const asked: string[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url!, 'http://x')
    const id = url.searchParams.get('batchId') ?? ''
    response.setHeader('content-type', 'application/json')
    // Whose shop it is, this API does not say.
    if (url.pathname.endsWith('/store'))
      return void response.writeHead(404).end(JSON.stringify({ message: 'not found' }))
    asked.push(id === '' ? url.pathname : id)
    const trouble = troubles.shift()
    if (trouble !== undefined) return trouble(response)
    const found = id in lots ? [lots[id]] : []
    if (url.pathname.endsWith('/batches'))
      response.end(JSON.stringify({ values: found, skip: 0, limit: 100, total: found.length }))
    else response.writeHead(404).end(JSON.stringify({ message: 'not found' }))
  })
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { baseUrl: `http://127.0.0.1:${port}`, asked, lots, troubles }
}

const LOT = { id: 'B-OLD', costPerUnit: 9, modified: 1 }
const soldFrom = (batchId: string): object => {
  const text = JSON.stringify(T2).replaceAll('B-GUM', batchId)
  return JSON.parse(text) as object
}

async function bookkeeperAt(lots: Record<string, object>, accounting: object = {}) {
  const api = await apiOf(lots)
  const keeper = await bookkeeper(['downtown'], { accounting })
  const [store] = keeper.config.stores
  keeper.reconfigure({ accounting, stores: [{ ...storeOf(store!), baseUrl: api.baseUrl }] })
  const pathOf = (name: string): string => join(keeper.config.exports, 'downtown', DAY, name)
  return { keeper, api, pathOf }
}

const storeOf = ({ id, partnerKey, developerKey }: Record<string, unknown>): object => ({
  id,
  partnerKey,
  developerKey,
  timeZone: 'America/Los_Angeles',
  dayStartsAt: '02:00',
})

test('a lot that no window brought is asked for once by its id, merged, and costs the sale', async () => {
  const { keeper, api } = await bookkeeperAt({ 'B-OLD': LOT })
  keeper.sales([T1, soldFrom('B-OLD'), T3])
  const { status, stdout } = await keeper.journal({}, true)
  expect(status).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ refused: [] })
  expect(api.asked).toEqual(['B-OLD'])
  const known = keeper.database.connection
    .prepare("SELECT cost_per_unit FROM batches WHERE id = 'B-OLD'")
    .pluck()
    .get()
  expect(known).toBe('9')
  await keeper.journal()
  expect(api.asked).toEqual(['B-OLD'])
})

test('a lot whose answers first fail in passing, and then are cut off, is asked for until one is whole', async () => {
  const { keeper, api } = await bookkeeperAt({ 'B-OLD': LOT })
  const cutOff: Trouble = response => void response.end('{"values":[{"id":"B-O')
  api.troubles.push(response => void response.writeHead(503).end(), cutOff, cutOff)
  keeper.sales([T1, soldFrom('B-OLD'), T3])
  expect((await keeper.journal()).status).toBe(0)
  expect(api.asked).toEqual(['B-OLD', 'B-OLD', 'B-OLD', 'B-OLD'])
})

test('a lot that the API does not know holds the journal, is named with its day, and is asked for once', async () => {
  // One that is there shows that the API's "no such lot" can be believed.
  const known = Object.fromEntries(['B-FLW', 'B-GUM'].map(id => [id, { ...LOT, id }]))
  const { keeper, api, pathOf } = await bookkeeperAt(known)
  keeper.sales([T1, soldFrom('B-GONE'), T3])
  const beganMs = Date.now()
  const { status, stderr } = await keeper.journal()
  expect(status).toBe(3)
  const [first, last] = [beganMs, Date.now()].map(ms => toIso(ms).slice(0, 10))
  expect(readFileSync(pathOf(`exceptions_downtown_${DAY}_r0.csv`), 'utf8')).toMatch(
    new RegExp(`the API does not know its lot \\(asked on (${first}|${last})\\)`),
  )
  expect(stderr).toContain('downtown')
  expect(existsSync(pathOf(`daily_sales_journal_downtown_${DAY}_r0.csv`))).toBe(false)
  const before = api.asked.length
  await keeper.journal()
  expect(api.asked.length).toBe(before)
})

test('to flag it instead is said in each importer\u2019s memo and in the names of the files', async () => {
  const { keeper, pathOf } = await bookkeeperAt({}, { missingCosts: 'flag' })
  keeper.sales([T1, soldFrom('B-GONE'), T3])
  expect((await keeper.journal({ format: 'generic,qbo,iif,netsuite,xero' })).status).toBe(3)
  const files = keeper.files().filter(name => /^(journal_|daily)/.test(name))
  expect(files.every(name => name.includes('_r0.costs-missing.'))).toBe(true)
  expect(files).toHaveLength(5)
  for (const name of files.filter(one => one.startsWith('journal_')))
    expect(readFileSync(pathOf(name), 'latin1')).toContain('without the cost of 1 line')
})

test('an API that is gone is asked once, and keeps nobody from a journal that has all of its costs', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1, T2, T3])
  expect((await keeper.journal()).status).toBe(0)
  keeper.sales([{ ...soldFrom('B-X'), id: 'T4' }])
  const { status } = await keeper.journal()
  expect(status).toBe(3)
})
