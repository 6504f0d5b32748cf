import { afterAll, describe, expect, it, vi } from 'vitest'
import { createDependencies } from '../../activities/dependencies.ts'
import { waitOutOutage } from '../../activities/wait-out-outage.ts'
import { HOUR_MS } from '../../calendar/days.ts'
import { openDestination } from '../../connectors/sqlite/destination.ts'
import { PartnerError } from '../../errors.ts'
import { newPath } from '../connectors/sqlite/window-database.ts'
import { serve, tickets } from '../reading/list-server.ts'

const closing: (() => Promise<void>)[] = []
afterAll(() => Promise.all(closing.map(close => close())))

/** Nobody listens at its address. */
const NOWHERE = 'http://127.0.0.1:9'

async function goneApi(baseUrl = NOWHERE) {
  const destination = await openDestination(newPath(), [tickets])
  const settings = {
    id: 'downtown',
    baseUrl,
    partnerKey: 'p',
    developerKey: 'd',
    timeZone: 'UTC',
    limits: { concurrency: 4, requestsPerSecond: Infinity },
  }
  const dependencies = createDependencies(destination, [tickets], [settings], () =>
    Promise.reject(new Error('no books here')),
  )
  closing.push(() => dependencies.close())
  const work = vi.fn<() => Promise<never>>(() =>
    Promise.reject(new PartnerError('PARTNER_UNREACHABLE', 'gone')),
  )
  const ride = (signal: AbortSignal): Promise<unknown> =>
    waitOutOutage(dependencies, 'downtown', signal, work)
  return { dependencies, work, ride }
}

const unreachable = { code: 'PARTNER_UNREACHABLE', recovery: 'retry' }

it('an API that is gone is waited for no longer than the activity may take, alone or with others', async () => {
  const { dependencies, work, ride } = await goneApi()
  const first = new AbortController()
  const waiting = ride(first.signal)
  await expect.poll(() => dependencies.outages.get('downtown')?.nextTryMs).toBeDefined()
  // It waits for the answer that the first one gets, and has less time.
  await expect(ride(AbortSignal.timeout(30))).rejects.toMatchObject(unreachable)
  await expect(ride(AbortSignal.abort())).rejects.toMatchObject(unreachable)
  expect(dependencies.outages.has('downtown')).toBe(true)
  first.abort()
  await expect(waiting).rejects.toMatchObject(unreachable)
  expect(work).toHaveBeenCalledTimes(3)
})

it('if the patience of the process ends first, nothing is tried again', async () => {
  const { dependencies, ride } = await goneApi()
  dependencies.patienceMs = 20
  await expect(ride(new AbortController().signal)).rejects.toMatchObject({
    type: 'PARTNER_UNREACHABLE',
    nonRetryable: true,
  })
})

it('an outage is told while it lasts, and its end; a single connection is not', async () => {
  const answers = await serve((_, response) => void response.end('{}'))
  const { dependencies, ride, work } = await goneApi()
  const told: string[] = []
  dependencies.onOutageEvent = ({ event }) => void told.push(event)
  const { signal } = new AbortController()
  dependencies.patienceMs = 2_500
  await expect(ride(signal)).rejects.toMatchObject({ type: 'PARTNER_UNREACHABLE' })
  expect(told).toEqual(['api_gone', 'api_given_up'])
  const { attempts } = dependencies.destination
  expect((await attempts.last('downtown'))?.detail).toMatch(
    /^the API of downtown .* waited for \d+ s$/,
  )

  // The twin: it answers, so that it was a single connection.
  const there = await goneApi(answers)
  there.dependencies.onOutageEvent = ({ event }) => void told.push(event)
  await expect(there.ride(signal)).rejects.toMatchObject(unreachable)
  expect(told).toHaveLength(2)
  expect(work).toHaveBeenCalledTimes(1)
})

it('an API that answers at the next question is back without a word', async () => {
  let asked = 0
  const baseUrl = await serve((_, response) =>
    ++asked === 1 ? void response.destroy() : void response.end('{}'),
  )
  const { dependencies, ride, work } = await goneApi(baseUrl)
  work.mockResolvedValue('done' as never)
  work.mockRejectedValueOnce(new PartnerError('PARTNER_UNREACHABLE', 'gone'))
  const told: string[] = []
  dependencies.onOutageEvent = ({ event }) => void told.push(event)
  await expect(ride(new AbortController().signal)).resolves.toBe('done')
  expect([asked, told]).toEqual([2, []])
  expect(await dependencies.destination.attempts.last('downtown')).toBeUndefined()
})

it('an API that is back after a while is told, and is no failed attempt any more', async () => {
  let isBack = false
  const baseUrl = await serve((_, response) =>
    isBack ? void response.end('{}') : void response.destroy(),
  )
  const { dependencies, ride, work } = await goneApi(baseUrl)
  work.mockResolvedValue('done' as never)
  work.mockRejectedValueOnce(new PartnerError('PARTNER_UNREACHABLE', 'gone'))
  const { attempts } = dependencies.destination
  const told: string[] = []
  dependencies.onOutageEvent = ({ event }) => void told.push(event)
  const waiting = ride(new AbortController().signal)
  await expect.poll(async () => (await attempts.last('downtown'))?.outcome).toBe('failed')
  isBack = true
  await expect(waiting).resolves.toBe('done')
  expect(told).toEqual(['api_gone', 'api_back'])
  expect((await attempts.last('downtown'))?.outcome).toBe('answered')
})

describe('a key that is refused in the middle of the work', () => {
  const refused = () => Promise.reject(new PartnerError('PARTNER_KEYS', 'refused'))
  const signal = new AbortController().signal

  it('is tried again if GET /store is answered, but not for ever', async () => {
    const { work, ride } = await goneApi(await serve((_, response) => void response.end('{}')))
    work.mockImplementationOnce(refused).mockResolvedValueOnce('done' as never)
    await expect(ride(signal)).resolves.toBe('done')
    const stop = new AbortController()
    work.mockReset().mockImplementation(() => {
      if (work.mock.calls.length === 2) stop.abort()
      return refused()
    })
    await expect(ride(stop.signal)).rejects.toMatchObject({ code: 'PARTNER_KEYS' })
    expect(work).toHaveBeenCalledTimes(2)
  })

  it('is believed if GET /store refuses it, too', async () => {
    const baseUrl = await serve((_, response) => void response.writeHead(401).end('{}'))
    const { work, ride } = await goneApi(baseUrl)
    work.mockImplementation(refused)
    await expect(ride(signal)).rejects.toMatchObject({ code: 'PARTNER_KEYS' })
    expect(work).toHaveBeenCalledTimes(1)
  })
})

it('an API that was given up is not waited for again at once, and hours later it is', async () => {
  const { dependencies, ride } = await goneApi()
  const told: string[] = []
  dependencies.onOutageEvent = ({ event }) => void told.push(event)
  const { signal } = new AbortController()
  dependencies.patienceMs = 2_500
  const once = ['api_gone', 'api_given_up']
  await expect(ride(signal)).rejects.toMatchObject({ nonRetryable: true })
  await expect(ride(signal)).rejects.toMatchObject({ nonRetryable: true })
  expect(told).toEqual(once)
  dependencies.now = () => Date.now() + 7 * HOUR_MS
  await expect(ride(signal)).rejects.toThrow(/was waited for [23] s$/)
  expect(told).toEqual([...once, ...once])
})

it('an API that answers after it was given up is back, told once, and no failed attempt any more', async () => {
  let isUp = false
  const baseUrl = await serve((_, response) =>
    isUp ? void response.end('{}') : void response.destroy(),
  )
  const { dependencies, ride, work } = await goneApi(baseUrl)
  const told: string[] = []
  dependencies.onOutageEvent = ({ event }) => void told.push(event)
  const { signal } = new AbortController()
  dependencies.patienceMs = 2_500
  await expect(ride(signal)).rejects.toMatchObject({ nonRetryable: true })
  isUp = true
  work.mockResolvedValue('done' as never)
  const gone = new PartnerError('PARTNER_UNREACHABLE', 'gone')
  work.mockRejectedValueOnce(gone).mockRejectedValueOnce(gone)
  await expect(Promise.all([ride(signal), ride(signal)])).resolves.toEqual(['done', 'done'])
  expect(told).toEqual(['api_gone', 'api_given_up', 'api_back'])
  expect((await dependencies.destination.attempts.last('downtown'))?.outcome).not.toBe('failed')
})
