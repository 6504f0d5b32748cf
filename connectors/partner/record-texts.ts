import Database from 'better-sqlite3'
import type { Page } from './read-page.ts'

const memory = new Database(':memory:')
const texts = memory
  .prepare<[Uint8Array, string], string>(
    `SELECT coalesce(json(value), 'null') FROM jsonb_each(?, ?)`,
  )
  .pluck()

/** The JSON text of each record of a page, with every digit (INV-6), in the order of its rows. */
export const recordTexts = ({ body, listPath, rows }: Page): string[] =>
  rows.length === 0 ? [] : texts.all(body, listPath)
