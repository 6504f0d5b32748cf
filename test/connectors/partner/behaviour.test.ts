import { expect, test } from 'vitest'
import { contradicts } from '../../../connectors/partner/behaviour.ts'

test.each([
  ['40', '100', true],
  ['40', '36 or more', false],
  ['16 or more', '12 or more', false],
  ['16 or more', '40', false],
  ['unknown', '40', false],
  ['40', '40', false],
  ['exclusive', 'inclusive', true],
])('a list that answers %s after %s has changed: %s', (value, before, changed) => {
  expect(contradicts(value, before)).toBe(changed)
})
