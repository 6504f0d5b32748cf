import { expect, it } from 'vitest'
import { createTurns } from '../../reading/read-window.ts'

/** In which turn of the event loop each of five pieces of work is done that all begin at once. */
async function turnsOf(waitForTurn: () => Promise<unknown>): Promise<number[]> {
  let turn = 0
  let isDone = false
  const count = (): void => {
    turn++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  const done: number[] = []
  await Promise.all(
    Array.from({ length: 5 }, async () => {
      await waitForTurn()
      done.push(turn)
    }),
  )
  isDone = true
  return done
}

it('between two pages of answers that came at once, the network has a turn', async () => {
  const turns = await turnsOf(createTurns())
  expect(new Set(turns).size).toBe(5)
  expect(turns).toEqual(turns.toSorted((a, b) => a - b))
})

it('without turns of their own, all of them are looked at in one go', async () => {
  const turns = await turnsOf(() => new Promise(setImmediate))
  expect(new Set(turns).size).toBe(1)
})
