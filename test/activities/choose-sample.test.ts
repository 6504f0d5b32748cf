import { expect, it } from 'vitest'
import { draw } from '../../activities/choose-sample.ts'

it('a draw is the same for the same seed, without replacement, and differs for another', () => {
  const pool = Array.from({ length: 200 }, (_, index) => index)
  expect(draw(pool, 10, 1)).toEqual(draw(pool, 10, 1))
  expect(draw(pool, 10, 1)).not.toEqual(draw(pool, 10, 2))
  expect(draw(pool, 500, 3).toSorted((a, b) => a - b)).toEqual(pool)
})
