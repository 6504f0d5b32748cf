import { describe } from 'vitest'
import { LONG } from '../helpers/size.ts'
import { monthOn } from './month.ts'

/** By default the month that moves to PostgreSQL in its middle, and back, is played (moved-month). */
describe.skipIf(!LONG)('on SQLite', () => {
  monthOn('SQLite')
})
