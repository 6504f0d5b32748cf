import { describe, expect, it } from 'vitest'
import { lookUp } from '../../connectors/partner/look-up.ts'
import { defineList, text, timestamp } from '../../connectors/stream.ts'
import { TillageError } from '../../errors.ts'
import { readingEvidence } from '../../reading/prove-window.ts'
import { readListOfEach } from '../../reading/read-window.ts'
import { startReading } from '../../reading/reading.ts'
import { Refused, WINDOW, contextOf, endpointOf } from './list-server.ts'

const list = {
  name: 'carts',
  singular: 'cart',
  title: 'carts',
  columns: { ...text('id'), ...timestamp('created', 'modified') },
}
const byParameter = defineList({
  ...list,
  path: '/api/carts',
  parent: { stream: 'members', column: 'id', parameter: 'cuid' },
})
const byPath = defineList({
  ...list,
  path: '/api/members/{id}/carts',
  parent: { stream: 'members', column: 'id' },
  lookup: { path: '/api/members/{id}' },
})
const signal = new AbortController().signal
const failureOf = async (attempt: Promise<unknown>): Promise<TillageError> => {
  const error: unknown = await attempt.then(
    () => undefined,
    (cause: unknown) => cause,
  )
  expect(error).toBeInstanceOf(TillageError)
  return error as TillageError
}

describe('a list that exists once for each person', () => {
  it.each([
    ['a parameter', byParameter],
    ['the path', byPath],
  ])('is refused without saying whose it is, asked for by %s', async (_, stream) => {
    const endpoint = await endpointOf(() => new Refused(400), { stream })
    const { message } = await failureOf(
      readListOfEach(contextOf(endpoint), startReading('r'), ['person-4711']),
    )
    expect(message).toContain(`GET ${stream.path}?`)
    expect(message).not.toContain('4711')
  })
})

it('a lookup that the API refuses the key for does not say whom it was about', async () => {
  const endpoint = await endpointOf(() => new Refused(401), { stream: byPath })
  const { message } = await failureOf(lookUp(endpoint, 'person-4711', signal))
  expect(message).toContain('GET /api/members/{id} of')
  expect(message).not.toContain('4711')
})

describe('an id of dots, which would make another path of its own', () => {
  const asked: string[] = []
  const serving = () =>
    endpointOf(
      (_, path) => {
        asked.push(path)
        return { values: [], total: 0 }
      },
      { stream: byPath },
    )

  it.each(['.', '..'])('is not looked up, and its list is not read: %s', async id => {
    const endpoint = await serving()
    expect(await lookUp(endpoint, id, signal)).toEqual({ kind: 'unclear' })
    const read = readListOfEach(contextOf(endpoint), startReading('r'), [id, 'p1'])
    expect((await failureOf(read)).code).toBe('PARTNER_REFUSED')
    expect(new Set(asked)).toEqual(new Set(['/api/members/p1/carts']))
  })
})

describe('many lists', () => {
  const values = Array.from({ length: 100 }, (_, index) => `p${index}`)
  const readMany = async (refuses: (value: string) => number | undefined) => {
    let requests = 0
    const endpoint = await endpointOf(
      query => {
        requests++
        const value = query.get('cuid')!
        const status = refuses(value)
        return status !== undefined
          ? new Refused(status)
          : { values: [{ id: `of ${value}`, modified: 1500 }], total: 1 }
      },
      { stream: byParameter },
    )
    const reading = startReading('r')
    const read = async () => readListOfEach(contextOf(endpoint), reading, values)
    return { read, reading, endpoint, requests: () => requests }
  }

  it('are left alone once the key is refused', async () => {
    const { read, requests } = await readMany(() => 401)
    expect((await failureOf(read())).code).toBe('PARTNER_KEYS')
    expect(requests()).toBeLessThanOrEqual(4)
  })

  it('are left alone once the API is gone', async () => {
    const { read, requests } = await readMany(() => 500)
    expect((await failureOf(read())).code).toBe('PARTNER_UNAVAILABLE')
    expect(requests()).toBeLessThanOrEqual(8)
  })

  it('are all read, but for the one that is refused', async () => {
    const { read, reading } = await readMany(value => (value === 'p3' ? 400 : undefined))
    expect((await failureOf(read())).code).toBe('PARTNER_REFUSED')
    expect(reading.lists.size).toBe(99)
  })

  it('are all read at last where some requests fail, each list once', async () => {
    const failed = new Set<string>()
    const { read, reading } = await readMany(value =>
      Number(value.slice(1)) % 7 === 0 && !failed.has(value) ? (failed.add(value), 500) : undefined,
    )
    expect((await failureOf(read())).code).toBe('PARTNER_UNAVAILABLE')
    expect(await read()).toMatchObject({ status: 'proven' })
    expect(reading.lists.size).toBe(100)
  })

  it('stand in the evidence with all their rows', async () => {
    const { read, reading, endpoint } = await readMany(() => undefined)
    await read()
    expect(readingEvidence({ endpoint, wire: WINDOW }, reading)).toMatchObject({
      rows: 100,
      total: 100,
      pages: 200,
    })
  })
})
