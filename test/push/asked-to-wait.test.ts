import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Governor } from '../../connectors/partner/governor.ts'
import { askedToWait } from '../../connectors/partner/refusal.ts'
import { PartnerError } from '../../errors.ts'
import type { Push } from '../../push/push.ts'
import { applyInRun, startScene, statesOf, through, UNPACED } from './scene.ts'
import type { Scene } from './scene.ts'

/** What becomes of a push whose API asks to be left alone for a while. */
let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.close())

const PAUSE_MS = 120_000

const pausing = (ms: number): PartnerError =>
  new PartnerError('PARTNER_RATE_LIMIT', 'the API asked for a pause', askedToWait(ms))

/** From its first write on, nothing is asked for two minutes; waiting takes no time. */
function pausedByWrite(answer: 'taken' | 'lost'): Push {
  let nowMs = scene.push.now()
  let pausedUntilMs: number | undefined
  const run: Governor['run'] = async request => {
    if (nowMs < (pausedUntilMs ?? 0)) throw pausing(pausedUntilMs! - nowMs)
    return request()
  }
  const written = through(scene.push, send => async (request, signal) => {
    const answered = await send(request, signal)
    if (request.method === 'GET' || pausedUntilMs !== undefined) return answered
    pausedUntilMs = nowMs + PAUSE_MS
    if (answer === 'lost') throw new PartnerError('PARTNER_UNAVAILABLE', 'answered 503')
    return answered
  })
  const store: Push['store'] = id => ({ ...written.store(id), governor: { ...UNPACED, run } })
  return { ...written, store, now: () => nowMs, sleep: async ms => void (nowMs += ms) }
}

const approved = async (text: string): Promise<string> => {
  const { plan } = await scene.plan('products', text)
  await scene.approve(plan, ['all'])
  return plan
}

it.each(['taken', 'lost'] as const)(
  'an update that was %s is looked for after the pause that the API asked for',
  async answer => {
    const plan = await approved(`external_id,description\nP-1031,${answer} before a pause\n`)
    const before = await scene.writes()
    const applied = await scene.apply(plan, pausedByWrite(answer))
    expect(statesOf(applied)).toEqual({ 'P-1031': 'applied' })
    expect(await scene.writes()).toHaveLength(before.length + 1)
  },
)

it('a stop ends a pause of an hour, and what waited for it is sent by the next apply', async () => {
  const plan = await approved('external_id,description\nP-1032,after an hour\n')
  const before = await scene.writes()
  const busy = through(scene.push, send => async (request, signal) => {
    if (request.method === 'PUT') throw pausing(3_600_000)
    return send(request, signal)
  })
  const stop = new AbortController()
  const stopped: Push = {
    ...busy,
    store: id => ({ ...busy.store(id), governor: UNPACED }),
    sleep(ms, signal) {
      const waiting = busy.sleep(ms, signal)
      stop.abort()
      return waiting
    },
  }
  await expect(applyInRun(stopped, plan, stop.signal)).rejects.toThrow('aborted')
  expect(await scene.writes()).toEqual(before)
  expect(statesOf(await scene.apply(plan))).toEqual({ 'P-1032': 'applied' })
})

it('an API that asks for one pause after the other parks what it may have taken when patience is over', async () => {
  const plan = await approved('external_id,description\nP-1033,asked again and again\n')
  let nowMs = scene.push.now()
  const startMs = nowMs
  let isPausing = false
  const run: Governor['run'] = async request => {
    if (isPausing) throw pausing(1_000)
    return request()
  }
  const written = through(scene.push, send => async (request, signal) => {
    if (request.method === 'GET') return send(request, signal)
    isPausing = true
    throw new PartnerError('PARTNER_UNAVAILABLE', 'answered 503')
  })
  const store: Push['store'] = id => ({ ...written.store(id), governor: { ...UNPACED, run } })
  const sleep: Push['sleep'] = async ms => void (nowMs += ms)
  const applied = await scene.apply(plan, { ...written, store, now: () => nowMs, sleep })
  expect(statesOf(applied)).toEqual({ 'P-1033': 'unknown' })
  // Three seconds are the patience of an update, and one the first pause.
  expect(nowMs - startMs).toBe(4_000)
})
