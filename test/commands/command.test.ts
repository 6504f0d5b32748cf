import { expect, it } from 'vitest'
import { aborted } from '../../commands/command.ts'

it('what waits for a signal ends also where it was aborted before', async () => {
  const stop = new AbortController()
  let isOver = false
  const waiting = aborted(stop.signal).then(() => (isOver = true))
  await Promise.resolve()
  expect(isOver).toBe(false)
  stop.abort()
  await waiting
  await aborted(stop.signal)
})
