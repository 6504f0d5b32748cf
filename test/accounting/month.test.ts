import { describe } from 'vitest'
import { LONG } from '../helpers/size.ts'
import { monthOn } from './month.ts'

// A short run has the month that moves to PostgreSQL in its middle, and back (moved-month.test.ts).
describe.skipIf(!LONG)('on SQLite', () => {
  monthOn('SQLite')
})
