import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createBackPressure } from '../../reading/back-pressure.ts'

it('lets in what fits, in order, a page that is too large alone, and all of them in the end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 50 }),
      fc.array(fc.record({ bytes: fc.integer({ min: 1, max: 80 }), turns: fc.nat(4) }), {
        maxLength: 40,
      }),
      async (most, pages) => {
        const pressure = createBackPressure(most)
        const inside = new Set<number>()
        const order: number[] = []
        const pass = async ({ bytes, turns }: { bytes: number; turns: number }, index: number) => {
          await pressure.admit(bytes)
          order.push(index)
          inside.add(index)
          const sum = [...inside].reduce((total, one) => total + pages[one]!.bytes, 0)
          expect(sum <= most || inside.size === 1).toBe(true)
          for (let turn = 0; turn < turns; turn++) await Promise.resolve()
          inside.delete(index)
          pressure.release(bytes)
        }
        await Promise.all(pages.map(pass))
        expect(order).toEqual(pages.map((_, index) => index))
      },
    ),
  )
})
