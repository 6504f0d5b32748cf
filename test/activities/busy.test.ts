import { expect, test } from 'vitest'
import { busyShares, createBusy } from '../../activities/busy.ts'

test('time counts once, however much is at work, and until the last has ended or failed', async () => {
  let nowMs = 0
  const busy = createBusy(() => nowMs)
  const answer = Promise.withResolvers<number>()
  const late = Promise.withResolvers<number>()
  const commit = Promise.withResolvers<void>()
  const requests = [busy.asking(() => answer.promise), busy.asking(() => late.promise)]
  nowMs = 10
  const written = busy.writing(() => commit.promise)
  answer.resolve(7)
  expect(await requests[0]).toBe(7)
  nowMs = 30
  late.reject(new Error('gone'))
  await expect(requests[1]).rejects.toThrow('gone')
  nowMs = 40
  expect(busy.soFar).toEqual({ api: 30, writer: 30, either: 40 })
  commit.resolve()
  await written
  nowMs = 100
  const after = busy.soFar
  expect(after).toEqual({ api: 30, writer: 30, either: 40 })
  expect(busyShares({ api: 10, writer: 0, either: 0 }, after, 100)).toEqual({
    api: 0.2,
    writer: 0.3,
    either: 0.4,
  })
})
