import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { roomQuantities } from '../../audit/lists.ts'
import { openStoreApi } from '../../audit/store-api.ts'
import type { StoreApi } from '../../audit/store-api.ts'
import { createPartnerClient } from '../../connectors/partner/client.ts'
import { governorAlone } from '../helpers/governor.ts'

type Answer = (start: number, limit: number, request: number) => object

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** A list over real HTTP, that answers as a server of this kind would. */
async function apiOf(answer: Answer): Promise<StoreApi> {
  let request = 0
  const server = createServer(({ url }, response) => {
    const { searchParams } = new URL(url!, 'http://list')
    const [start, limit] = ['start', 'limit'].map(name => Number(searchParams.get(name)))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(answer(start!, limit!, ++request)))
  })
  await new Promise<void>(done => void server.listen(0, '127.0.0.1', done))
  const client = createPartnerClient({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    partnerKey: 'p',
    developerKey: 'd',
  })
  const governor = governorAlone({ concurrency: 1, requestsPerSecond: Infinity })
  const api = openStoreApi({ id: 'downtown', client, governor }, new AbortController().signal)
  closing.push(async () => {
    await api.close()
    server.closeAllConnections()
    await new Promise(done => server.close(done))
  })
  return api
}

const lot = (number: number, quantity = 5): object => ({
  inventoryId: 'R',
  batchId: `B${number}`,
  quantity,
})
const lots = (count: number, change: (number: number) => object = lot): object[] =>
  Array.from({ length: count }, (_, number) => change(number))

describe('a list without ids and without a total that ignores the offset', () => {
  it.each([1, 99, 101])('is what its first page shows, where that holds %d rows', async count => {
    const api = await apiOf(() => ({ values: lots(count) }))
    expect(await api.readList(roomQuantities)).toEqual(lots(count))
  })

  it('is not believed where there are as many rows as were asked for: there may be more', async () => {
    const api = await apiOf(() => ({ values: lots(100) }))
    await expect(api.readList(roomQuantities)).rejects.toMatchObject({ code: 'NOT_PROVEN' })
  })

  it.each([1, 2, 99])('counts no lot twice where %d lots are sold from meanwhile', async count => {
    const api = await apiOf((_start, _limit, request) => ({
      values: lots(count, number => lot(number, number === 0 ? 50 - request : 5)),
    }))
    expect(await api.readList(roomQuantities)).toHaveLength(count)
  })

  it('is read again where another lot has come to it', async () => {
    const api = await apiOf((_start, _limit, request) => ({
      values: lots(request === 1 ? 98 : 99),
    }))
    expect(await api.readList(roomQuantities)).toEqual(lots(99))
  })
})

it('two rows of one lot in one room are both kept', async () => {
  const rows = [...lots(120), lot(7, 3)]
  const api = await apiOf((start, limit) => ({
    values: rows.slice(start, start + limit),
    total: rows.length,
  }))
  expect(await api.readList(roomQuantities)).toEqual(rows)
})

it.each([0, 1, 100, 101, 250])(
  'a list of %d rows that takes an offset is read whole',
  async count => {
    const api = await apiOf((start, limit) => ({ values: lots(count).slice(start, start + limit) }))
    expect(await api.readList(roomQuantities)).toEqual(lots(count))
  },
)

it('a list without a total that answers its last page for ever is not believed', async () => {
  const api = await apiOf((start, limit) => {
    const from = Math.min(start, 100)
    return { values: lots(150).slice(from, from + limit) }
  })
  await expect(api.readList(roomQuantities)).rejects.toMatchObject({ code: 'NOT_PROVEN' })
})

it('numbers that a double may not hold are texts, digit by digit, and others stay numbers', async () => {
  const api = await apiOf(() => ({
    values: [
      { id: 17, quantity: 7 },
      { id: JSON.rawJSON('9007199254740993'), quantity: JSON.rawJSON('3.5000000000000004') },
    ],
    total: 2,
  }))
  expect(await api.readList(roomQuantities)).toEqual([
    { id: 17, quantity: 7 },
    { id: '9007199254740993', quantity: '3.5000000000000004' },
  ])
})
