import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Kysely } from 'kysely'
import { leftOnDisk } from '../../../disk.ts'
import type { Totals } from '../../destination/totals.ts'
import type { Schema } from '../../sql/schema.ts'
import { countedTotals } from '../../sql/totals.ts'
import { logBytesOf } from '../writer/close-checked.ts'

export const createTotals = (db: Kysely<Schema>, path: string): Totals => ({
  ...countedTotals(db),
  bytes: async () => statSync(path).size + logBytesOf(path),
  freeBytes: async () => leftOnDisk(dirname(path)),
})
