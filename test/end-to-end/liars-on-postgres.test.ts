import { LONG } from '../helpers/size.ts'
import { liarsOn } from './liars.ts'

/** What is believed is decided before anything is written: these differ in what they write. */
const WRITING = [
  'cap37',
  'liar-total-high',
  'offset-ignored',
  'repeat-ids',
  'empty-middle',
  'unstable',
  'bad-records',
] as const

liarsOn('PostgreSQL', ...(LONG ? [] : [WRITING]))
