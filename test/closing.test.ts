import { expect, test } from 'vitest'
import { closeAll, closing, firstError } from '../closing.ts'

const opened = (name: string, told: string[], failure?: Error) =>
  closing({
    async close() {
      told.push(name)
      if (failure !== undefined) throw failure
    },
  })

test('what a block opened is closed where it ends, the last first, also where it fails', async () => {
  const told: string[] = []
  const work = async (): Promise<void> => {
    await using outer = opened('outer', told)
    await using inner = opened('inner', told)
    told.push(outer === inner ? 'one' : 'body')
    throw new Error('the body')
  }
  await expect(work()).rejects.toThrow('the body')
  expect(told).toEqual(['body', 'inner', 'outer'])
})

test('why a block failed comes before what its end could not do', async () => {
  const work = async (): Promise<void> => {
    await using one = opened('one', [], new Error('close one'))
    await using other = opened('other', [], new Error('close other'))
    throw one === other ? new Error('one') : new Error('the body')
  }
  const error = await work().catch((cause: unknown) => cause)
  expect(error).toBeInstanceOf(SuppressedError)
  expect(firstError(error)).toMatchObject({ message: 'the body' })
  const alone = new Error('close one')
  expect(firstError(alone)).toBe(alone)
})

test('every step of an orderly end runs, the last first, and the first failure is thrown at the end', async () => {
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
