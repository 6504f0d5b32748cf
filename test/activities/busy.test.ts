import { expect, test } from 'vitest'
import { createBusy } from '../../activities/busy.ts'

test('time counts once, however much is at work, and until the last has ended or failed', async () => {
  let nowMs = 0
  const busy = createBusy(() => nowMs)
  const sinceStart = busy.measure()
  const answer = Promise.withResolvers<number>()
  const late = Promise.withResolvers<number>()
  const commit = Promise.withResolvers<void>()
  const requests = [busy.asking(() => answer.promise), busy.asking(() => late.promise)]
  nowMs = 10
  const sinceTen = busy.measure()
  const written = busy.writing(() => commit.promise)
  answer.resolve(7)
  expect(await requests[0]).toBe(7)
  nowMs = 30
  late.reject(new Error('gone'))
  await expect(requests[1]).rejects.toThrow('gone')
  nowMs = 40
  expect(sinceStart()).toEqual({ api: 0.75, writer: 0.75, either: 1 })
  commit.resolve()
  await written
  nowMs = 100
  expect(sinceStart()).toEqual({ api: 0.3, writer: 0.3, either: 0.4 })
  expect(sinceTen()).toEqual({ api: 0.22, writer: 0.33, either: 0.33 })
})

test('the API is silent since its last answer, while something is asked of it', async () => {
  let nowMs = 1_000
  const busy = createBusy(() => nowMs)
  expect(busy.silentMs()).toBe(0)
  const [quick, slow] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const asked = [quick, slow].map(({ promise }) => busy.asking(() => promise))
  nowMs = 5_000
  expect(busy.silentMs()).toBe(4_000)
  quick.resolve()
  await asked[0]
  nowMs = 7_000
  expect(busy.silentMs()).toBe(2_000)
  slow.resolve()
  await asked[1]
  expect(busy.silentMs()).toBe(0)
})
