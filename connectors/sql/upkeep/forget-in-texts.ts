import { FORGOTTEN } from '../../people/scrub-record.ts'
import type { TableForgotten } from '../by-hand.ts'
import { all } from '../steps.ts'
import type { Steps } from '../steps.ts'
import { bound, holds, wordOf } from './forgetting-work.ts'
import type { ForgettingWork } from './forgetting-work.ts'

interface TextPlace {
  table: string
  column: string
  as: 'key' | 'json' | 'words'
}

/**
 * Texts of our own that may name somebody by id: a key as a whole, JSON as a text, words as a word.
 */
const TEXTS: readonly TextPlace[] = [
  { table: 'dead_letters', column: 'record_key', as: 'key' },
  { table: 'discarded_letters', column: 'record_key', as: 'key' },
  { table: 'windows', column: 'evidence', as: 'json' },
  { table: 'behaviours', column: 'evidence', as: 'json' },
  // The record that first showed a field or a kind is named by its key.
  { table: 'shapes', column: 'shape', as: 'json' },
  { table: 'findings', column: 'id', as: 'words' },
  { table: 'findings', column: 'detail', as: 'words' },
]

export function* forgetInTexts(work: ForgettingWork): Steps<TableForgotten[]> {
  const tables: TableForgotten[] = []
  for (const place of TEXTS) tables.push(yield* forgetInText(work, place))
  return tables
}

function* forgetInText(
  work: ForgettingWork,
  { table, column, as }: TextPlace,
): Steps<TableForgotten> {
  const withoutIds = withoutIdsOf(work.ids)[as]
  const found = yield* all<{ place: number; text: string }>(
    `SELECT rowid AS place, ${column} AS text FROM ${table}
     WHERE store_id = @store AND (${holds(work, column)})`,
    bound(work),
  )
  const changed = found.filter(({ text }) => withoutIds(text) !== text)
  for (const { place, text } of changed)
    yield* work.dialect.replace(
      { table, column, value: 'CAST(@text AS text)', where: 'rowid = @place' },
      { text: withoutIds(text), place },
    )
  return { table: `${table}.${column}`, removed: 0, changed: changed.length }
}

function withoutIdsOf(
  ids: readonly string[],
): Readonly<Record<TextPlace['as'], (text: string) => string>> {
  const word = new RegExp(ids.map(wordOf).join('|'), 'g')
  return {
    key: text => (ids.includes(text) ? FORGOTTEN : text),
    words: text => text.replaceAll(word, FORGOTTEN),
    json: text =>
      ids.reduce((left, id) => left.replaceAll(JSON.stringify(id), `"${FORGOTTEN}"`), text),
  }
}
