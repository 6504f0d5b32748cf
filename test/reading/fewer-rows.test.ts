import { describe, expect, it } from 'vitest'
import { findLargestLimit, largestLimits } from '../../connectors/partner/largest-limit.ts'
import { PartnerError } from '../../errors.ts'
import { endpointOf, read, Refused, tickets, ticketsOf } from './list-server.ts'

const stream = { ...tickets, pageCap: 50 }
const list = ticketsOf(120)

/** A list that refuses limits above `largest`; and how often it was asked for each limit. */
async function listTaking(largest: number, refusal = 400) {
  const asked = new Map<number, number>()
  const endpoint = await endpointOf(
    query => {
      const [offset, limit] = [Number(query.get('skip')), Number(query.get('limit'))]
      asked.set(limit, (asked.get(limit) ?? 0) + 1)
      if (limit > largest) return new Refused(refusal)
      return { values: list.slice(offset, offset + limit), total: list.length }
    },
    { stream },
  )
  return { endpoint, asked }
}

describe('a list that refuses the documented limit', () => {
  it.each([
    [49, 400],
    [20, 422],
    [7, 413],
    [1, 400],
  ])('and takes %d instead, refusing with %d, is proven', async (largest, status) => {
    const { endpoint } = await listTaking(largest, status)
    const { verdict, loaded, findings, reading } = await read(endpoint)
    expect(verdict).toMatchObject({ status: 'proven' })
    expect(loaded.size).toBe(120)
    expect(findings).toEqual(['limit_refused'])
    expect(reading.facts).toEqual([
      {
        name: 'largest limit',
        value: String(largest),
        evidence: `limit=50 was refused with ${status}, and limit=${largest} was answered`,
      },
    ])
  })

  it('is asked by the next window for what it takes from the beginning', async () => {
    const { endpoint, asked } = await listTaking(20)
    await read(endpoint)
    asked.clear()
    const { verdict, reading } = await read(endpoint)
    expect(verdict).toMatchObject({ status: 'proven' })
    expect([...asked.keys()]).toEqual([20])
    expect(reading.facts).toEqual([])
  })

  it('whatever is asked for, fails as it did, after one question more', async () => {
    const { endpoint, asked } = await listTaking(0)
    await expect(read(endpoint)).rejects.toMatchObject({ code: 'PARTNER_REFUSED' })
    expect(Object.fromEntries(asked)).toEqual({ 50: 1, 1: 1 })
    expect(endpoint.pageLimit).toBe(50)
  })

  it.each([404, 403, 500])('with %d says nothing of the limit', async status => {
    const { endpoint, asked } = await listTaking(20, status)
    await expect(read(endpoint)).rejects.toBeInstanceOf(PartnerError)
    expect([...asked.keys()]).toEqual([50])
  })

  it('at a later page does so for another reason', async () => {
    const endpoint = await endpointOf(
      query =>
        query.get('skip') === '0'
          ? { values: list.slice(0, 50), total: list.length }
          : new Refused(400),
      { stream },
    )
    await expect(read(endpoint)).rejects.toMatchObject({ code: 'PARTNER_REFUSED' })
    expect(endpoint.pageLimit).toBe(50)
  })
})

it('the largest limit is found in as many questions as its number has bits, and one', async () => {
  for (const refused of [2, 100, 200, 1000])
    for (let largest = 1; largest < refused; largest++) {
      let questions = 0
      const found = await findLargestLimit(refused, limit => {
        questions++
        return limit <= largest ? Promise.resolve() : Promise.reject(refusal())
      })
      expect(found).toBe(largest)
      expect(questions).toBeLessThanOrEqual(Math.ceil(Math.log2(refused)) + 1)
    }
})

const refusal = (): PartnerError =>
  new PartnerError('PARTNER_REFUSED', 'refused', { refused: { status: 400, shape: '{field}' } })

it('a limit that nobody refused is not remembered as the largest', () => {
  const fact = (stream: string, value: string) => ({ stream, name: 'largest limit', value })
  expect(largestLimits([fact('batches', '1000 or more'), fact('members', '60')])).toEqual({
    members: 60,
  })
})
