import { monthOn } from './month.ts'

monthOn('PostgreSQL')
