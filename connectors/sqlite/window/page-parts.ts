import type Database from 'better-sqlite3'
import { explainRecord, parseRecord } from '../../record.ts'
import { keySql } from '../../stream-sql.ts'
import type { Stream } from '../../stream.ts'
import { DUPLICATES } from './duplicate-keys.ts'
import type { StagedPage } from './staged-pages.ts'
import type { RowsOfPage } from './staged-rows.ts'

/** A staged page, with the positions of its list that another copy of the record supersedes. */
export interface PageToMerge extends StagedPage {
  skip: readonly number[]
  /** Where its rows stand for SQLite; undefined where it has to take the page apart itself. */
  staged: RowsOfPage | undefined
}

/** Takes a page apart by the positions of its records. */
export interface PageParts {
  /** Of all that is not skipped. */
  positions(page: PageToMerge): number[]
  part(page: PageToMerge, positions: readonly number[]): PageToMerge
  record(page: PageToMerge, position: number): BadRecord
}

interface BadRecord {
  raw: string
  id: string | null
  /** Places of keys that it has twice. */
  duplicates: string[]
}

export function createPageParts(database: Database.Database, stream: Stream): PageParts {
  const positions = database
    .prepare<[Buffer, string, string], number>(
      `SELECT key FROM jsonb_each(?, ?)
       WHERE key NOT IN (SELECT value FROM json_each(?))`,
    )
    .pluck()
  const records = database
    .prepare<[Buffer, string, string], Buffer>(
      `SELECT jsonb_group_array(jsonb(value) ORDER BY key) FROM jsonb_each(?, ?)
       WHERE key IN (SELECT value FROM json_each(?))`,
    )
    .pluck()
  const record = database.prepare<[Buffer, string, number], { raw: string; id: string | null }>(
    `SELECT json(value) AS raw, CAST(${keySql(stream, 'value')} AS TEXT) AS id
     FROM jsonb_each(?, ?) WHERE key = ?`,
  )
  const duplicates = database.prepare<[string], string>(DUPLICATES).pluck()
  return {
    positions: ({ jsonb, listPath, skip }) =>
      positions.all(jsonb(), listPath, JSON.stringify(skip)),
    part({ jsonb, listPath }, chosen) {
      const body = records.get(jsonb(), listPath, JSON.stringify(chosen))!
      return {
        jsonb: () => body,
        text: undefined,
        listPath: '$',
        skip: [],
        staged: undefined,
        rows: chosen.length,
        examined: undefined,
      }
    },
    record({ jsonb, listPath }, position) {
      const found = record.get(jsonb(), listPath, position)!
      return { ...found, duplicates: duplicates.all(found.raw) }
    },
  }
}

/** Why the tables refused a record. */
export function reasonOf(stream: Stream, { raw, duplicates }: BadRecord, error: Error): string {
  const problems = explainRecord(stream, parseRecord(raw), duplicates)
  return problems.length > 0 ? problems.join('; ') : `the table refused it (${error.message})`
}
