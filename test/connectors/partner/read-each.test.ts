import { describe, expect, it } from 'vitest'
import { lookUp } from '../../../connectors/partner/look-up.ts'
import { readEach } from '../../../connectors/partner/read-each.ts'
import { startReading } from '../../../connectors/partner/read-window.ts'
import { defineList, text, timestamp } from '../../../connectors/stream.ts'
import { TillageError } from '../../../errors.ts'
import { endpointOf, Refused, WINDOW } from './list-server.ts'

const list = { name: 'carts', singular: 'cart', title: 'carts', columns: { ...text('id'), ...timestamp('created', 'modified') } }
const byParameter = defineList({ ...list, path: '/api/carts', each: { stream: 'members', column: 'id', parameter: 'cuid' } })
const byPath = defineList({ ...list, path: '/api/members/{id}/carts', each: { stream: 'members', column: 'id' }, lookup: { path: '/api/members/{id}' } })
const signal = new AbortController().signal
const failureOf = async (attempt: Promise<unknown>): Promise<TillageError> => {
  const error: unknown = await attempt.then(() => undefined, (cause: unknown) => cause)
  expect(error).toBeInstanceOf(TillageError)
  return error as TillageError
}

describe('a list that exists once for each person', () => {
  it.each([['a parameter', byParameter], ['the path', byPath]])('is refused without saying whose it is, asked for by %s', async (_, stream) => {
    const endpoint = await endpointOf(() => new Refused(400), { stream })
    const { message } = await failureOf(readEach(startReading('r'), endpoint, WINDOW, ['person-4711'], () => Promise.resolve(), signal))
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
