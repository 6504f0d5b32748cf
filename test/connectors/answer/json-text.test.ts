import fc from 'fast-check'
import { expect, test } from 'vitest'
import { spell, standsAt, viewOf } from '../../../connectors/answer/json-text.ts'

const letters = fc.uint8Array({ maxLength: 13 })
const standsIn = (text: Uint8Array, at: number, name: Uint8Array): boolean =>
  standsAt(viewOf(text), at, spell(name))

test('a name is found wherever its text begins in the buffer', () => {
  fc.assert(
    fc.property(letters, letters, letters, (before, name, after) => {
      const text = Buffer.from([1, ...before, ...name, ...after]).subarray(1)
      expect(standsIn(text, before.length, name)).toBe(true)
    }),
  )
})

test('it does not where any one letter is another', () => {
  fc.assert(
    fc.property(
      letters,
      letters,
      fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })),
      (before, name, [pick, by]) => {
        fc.pre(name.length > 0)
        const text = Buffer.from([...before, ...name])
        text[before.length + (pick % name.length)]! ^= by
        expect(standsIn(text, before.length, name)).toBe(false)
      },
    ),
  )
})
