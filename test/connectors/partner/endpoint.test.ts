import { expect, it } from 'vitest'
import { createRequestQueue } from '../../../connectors/partner/endpoint.ts'
import type { RequestQueue } from '../../../connectors/partner/endpoint.ts'
import { PartnerError } from '../../../errors.ts'
import { governorAlone } from '../../helpers/governor.ts'

const FIRST_WINDOW = 1
const SECOND_WINDOW = 2
const once = governorAlone({ concurrency: 1, requestsPerSecond: Infinity })

/** Names of requests in the order in which they were sent. */
const logged =
  (sent: string[], name: string): (() => Promise<string>) =>
  () => {
    sent.push(name)
    return Promise.resolve(name)
  }

it('requests of the window that was begun first go first, each in its order', async () => {
  const send = createRequestQueue(once)
  const sent: string[] = []
  const answers = [
    send(SECOND_WINDOW, logged(sent, 'second 1')),
    send(SECOND_WINDOW, logged(sent, 'second 2')),
    send(FIRST_WINDOW, logged(sent, 'first 1')),
    send(SECOND_WINDOW, logged(sent, 'second 3')),
    send(FIRST_WINDOW, logged(sent, 'first 2')),
  ]
  const names = ['second 1', 'second 2', 'first 1', 'second 3', 'first 2']
  expect(await Promise.all(answers)).toEqual(names)
  expect(sent).toEqual(['first 1', 'first 2', 'second 1', 'second 2', 'second 3'])
})

it('no list takes the turn of another, however early its window was begun', async () => {
  const governor = governorAlone({ concurrency: 1, requestsPerSecond: Infinity })
  const [one, other] = [createRequestQueue(governor), createRequestQueue(governor)]
  const sent: string[] = []
  const ask = (send: RequestQueue, begunMs: number, name: string): Promise<string> =>
    send(begunMs, logged(sent, name))
  await Promise.all([
    ask(one, SECOND_WINDOW, 'one 1'),
    ask(other, SECOND_WINDOW, 'other 1'),
    ask(one, FIRST_WINDOW, 'one 2'),
    ask(other, SECOND_WINDOW, 'other 2'),
  ])
  expect(sent).toEqual(['one 2', 'other 1', 'one 1', 'other 2'])
})

it('a failure is that of its own request, and the others go on', async () => {
  const send = createRequestQueue(once)
  const broken = new Error('broken')
  const results = await Promise.allSettled([
    send(SECOND_WINDOW, () => Promise.reject(broken)),
    send(FIRST_WINDOW, () => Promise.resolve('first')),
    send(SECOND_WINDOW, () => Promise.resolve('second')),
  ])
  expect(results).toEqual([
    { status: 'rejected', reason: broken },
    { status: 'fulfilled', value: 'first' },
    { status: 'fulfilled', value: 'second' },
  ])
})

it('where there are no slots, each request that waits is told why', async () => {
  const pause = new PartnerError('PARTNER_RATE_LIMIT', 'a pause', { retryAfterMs: 60_000 })
  const send = createRequestQueue({ run: () => Promise.reject(pause) })
  let sent = 0
  const request = (): Promise<number> => Promise.resolve(++sent)
  const results = await Promise.allSettled([
    send(FIRST_WINDOW, request),
    send(SECOND_WINDOW, request),
    send(FIRST_WINDOW, request),
  ])
  expect(results.map(result => result.status === 'rejected' && result.reason)).toEqual([
    pause,
    pause,
    pause,
  ])
  expect(sent).toBe(0)
})
