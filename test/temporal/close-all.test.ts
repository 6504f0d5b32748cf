import { expect, it } from 'vitest'
import { closeAll } from '../../temporal/close-all.ts'

it('every step of an orderly end runs, the last first, and the first failure is thrown at the end', async () => {
  const done: string[] = []
  const step =
    (name: string, fails = false) =>
    async (): Promise<void> => {
      done.push(name)
      if (fails) throw new Error(name)
    }
  const steps = [step('database'), step('server', true), step('connection', true), step('worker')]
  await expect(closeAll(steps)).rejects.toThrow('connection')
  expect(done).toEqual(['worker', 'connection', 'server', 'database'])
  await closeAll(steps)
  expect(done).toHaveLength(4)
})
