import { monthOn } from './month.ts'

monthOn('SQLite')
