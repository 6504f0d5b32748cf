import { postgresForTests } from '../helpers/postgres.ts'
import { monthOn } from './month.ts'

monthOn('SQLite', [(await postgresForTests()).url, './moved-back.db'])
