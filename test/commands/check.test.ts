import { expect, it } from 'vitest'
import { describeBound } from '../../commands/check.ts'

it('says that nothing is known where nothing was compared, and a rate where something was', () => {
  expect(describeBound({ compared: 0, rateBound: 1, boundOf: 'rows' })).toBe('not known')
  expect(describeBound({ compared: 20, rateBound: 0.1391, boundOf: 'rows' })).toBe('14 % of rows')
  expect(describeBound({ compared: 20, rateBound: 0, boundOf: 'windows' })).toBe('0 % of days')
})
