import { beforeEach, expect, test } from 'vitest'
import { createPartnerClient } from '../../../connectors/partner/client.ts'
import type { PartnerClient } from '../../../connectors/partner/client.ts'
import { STORE_PATH } from '../../../connectors/partner/store-info.ts'
import { identifiedClient } from '../../../connectors/store/open-store.ts'
import { serve } from '../../reading/list-server.ts'

const LIST = '/api/v1/partner/vendors'
const MINUTE_MS = 60_000

let asked: string[]
let shop: string
let statusOfList: number
let judged: (string | undefined)[]
let nowMs: number
let baseUrl: string

beforeEach(async () => {
  asked = []
  shop = 'S1'
  statusOfList = 200
  judged = []
  nowMs = 0
  baseUrl = await serve((request, response) => {
    const path = request.url!.split('?')[0]!
    asked.push(`${request.method} ${path}`)
    response.statusCode = path === STORE_PATH ? 200 : statusOfList
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(path === STORE_PATH ? { shop: { id: shop } } : { values: [] }))
  })
})

const open = (isKnown = true): PartnerClient =>
  identifiedClient(createPartnerClient({ baseUrl, partnerKey: 'p', developerKey: 'd' }), {
    now: () => nowMs,
    accept: ({ shopId }) => {
      judged.push(shopId)
      if (shopId !== 'S1') return Promise.reject(new Error('other shop'))
      return Promise.resolve(isKnown ? { shopId } : undefined)
    },
  })

const questions = (): number => asked.filter(request => request === `GET ${STORE_PATH}`).length

test('whose shop answers is asked once, before the first requests, however many come at once', async () => {
  const client = open()
  await Promise.all([client.get(LIST, {}), client.get(LIST, {}), client.get(LIST, {})])
  await client.get(LIST, {})
  expect(asked[0]).toBe(`GET ${STORE_PATH}`)
  expect(questions()).toBe(1)
  expect(client.shop?.()).toEqual(expect.objectContaining({ shopId: 'S1' }))
})

test('nothing is read and nothing is written with the keys of another shop', async () => {
  shop = 'S2'
  const client = open()
  await expect(client.get(LIST, {})).rejects.toThrow('other shop')
  await expect(client.send({ method: 'POST', path: LIST, body: '{}' })).rejects.toThrow()
  await expect(client.get(STORE_PATH, {})).rejects.toThrow('other shop')
  expect(asked.filter(request => !request.endsWith(STORE_PATH))).toEqual([])
})

test('an answer stands for five minutes, and a shop that changed meanwhile is refused then', async () => {
  const client = open()
  await client.get(LIST, {})
  shop = 'S2'
  nowMs = 5 * MINUTE_MS - 1
  await client.get(LIST, {})
  nowMs = 5 * MINUTE_MS
  await expect(client.get(LIST, {})).rejects.toThrow('other shop')
})

test.each([401, 403])('after a %i whose shop answers is asked again', async status => {
  const client = open()
  await client.get(LIST, {})
  statusOfList = status
  await expect(client.get(LIST, {})).rejects.toThrow()
  statusOfList = 200
  await client.send({ method: 'POST', path: LIST, body: '{}' })
  expect(questions()).toBe(2)
  statusOfList = status
  await client.send({ method: 'POST', path: LIST, body: '{}' })
  statusOfList = 200
  shop = 'S2'
  await expect(client.get(LIST, {})).rejects.toThrow('other shop')
})

test('where the database had nothing to compare with, the next request is judged without asking again', async () => {
  const client = open(false)
  await client.get(LIST, {})
  await client.get(LIST, {})
  expect(questions()).toBe(1)
  expect(judged).toEqual(['S1', 'S1'])
})
