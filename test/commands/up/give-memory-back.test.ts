import fc from 'fast-check'
import { expect, test } from 'vitest'
import { collectEverything, createRestWatch } from '../../../commands/up/give-memory-back.ts'

const SPAN_MS = 5_000

test('memory is given back once after each work, the start included, and not while work goes on', () => {
  const spans = fc.array(fc.boolean(), { maxLength: 40 })
  fc.assert(
    fc.property(spans, worked => {
      const hasComeToRest = createRestWatch()
      const answers = worked.map(works => hasComeToRest(works ? SPAN_MS : 0, SPAN_MS))
      expect(answers).toEqual(
        worked.map((works, index) => !works && (index === 0 || worked[index - 1])),
      )
    }),
  )
})

test('a poll now and then is waiting, a slow run is not', () => {
  const hasComeToRest = createRestWatch()
  expect(hasComeToRest(400, SPAN_MS)).toBe(false)
  expect(hasComeToRest(100, SPAN_MS)).toBe(true)
})

test('what nobody can reach is gone at once', () => {
  const reached = { here: true }
  const kept = new WeakRef(reached)
  const lost = new WeakRef(makeGarbage())
  expect(lost.deref()).toBeDefined()
  // Within one turn a reference that was looked at stays; so this one was made in another.
  return new Promise<void>(resolve => setImmediate(resolve)).then(() => {
    collectEverything()
    expect(lost.deref()).toBeUndefined()
    expect(kept.deref()).toBe(reached)
  })
})

const makeGarbage = (): object => ({ bytes: Buffer.alloc(1_000) })
