import { expect, it } from 'vitest'
import type { UsageError } from '../errors.ts'
import { chooseNames } from '../names.ts'

const remedyFor = (known: readonly string[]): string | undefined => {
  try {
    chooseNames('schedule', ['nightli'], known)
  } catch (error) {
    return (error as UsageError).remedy
  }
  return undefined
}

it('a name that does not exist is answered with those that do, and with none where there are none', () => {
  expect(remedyFor(['nightly', 'check'])).toBe(
    'Did you mean nightly? Schedules are: nightly, check.',
  )
  expect(remedyFor([])).toBe('There are no schedules here yet.')
  expect(remedyFor(['nightli'])).toBeUndefined()
})
