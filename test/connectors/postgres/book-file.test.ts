import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert, asyncProperty, array, constant, integer, oneof, string, tuple } from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { openBookFile } from '../../../connectors/postgres/snapshot/book-file.ts'

const COLUMNS = [
  { name: 'id', kind: 'text' },
  { name: 'at', kind: 'timestamp' },
  { name: 'count', kind: 'integer' },
] as const
const BOOK = { view: 'books', computed: 'books', columns: COLUMNS }

function openBook() {
  const folder = mkdtempSync(join(tmpdir(), 'tillage-test-'))
  const file = openBookFile(join(folder, 'book.copy'), BOOK)
  return { file, end: () => (file.close(), rmSync(folder, { recursive: true })) }
}

const NULL = constant(null)
// No text of PostgreSQL holds a NUL, and none is half a character.
const TEXT = string({ unit: 'grapheme', maxLength: 40 }).map(text => text.replaceAll('\0', ''))
const NUMBER = oneof(
  integer(),
  integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }),
  constant('9007199254740993'),
  constant('-9223372036854775808'),
)
const ROW = tuple(oneof(TEXT, NULL), oneof(NUMBER, NULL), oneof(NUMBER, NULL))

test('the rows of a book are read as they were added, in their order', async () => {
  await assert(
    asyncProperty(array(ROW, { maxLength: 700 }), async rows => {
      const { file, end } = openBook()
      const half = Math.floor(rows.length / 2)
      file.add(rows.slice(0, half))
      file.add(rows.slice(half))
      file.finish()
      expect([...file.rows(COLUMNS)].flat()).toEqual(rows)
      end()
    }),
    { numRuns: 60 },
  )
})

test('a book that is larger than what is written at once is whole', () => {
  const { file, end } = openBook()
  onTestFinished(end)
  const rows = Array.from({ length: 200 }, (_, at) => ['x'.repeat(50_000), at, -at || 0])
  for (const row of rows) file.add([row])
  file.finish()
  expect([...file.copies()].length).toBeGreaterThan(1)
  expect([...file.rows(COLUMNS)].flat()).toEqual(rows)
})

test('columns come as they are asked for, and nothing of one that is left out', () => {
  const { file, end } = openBook()
  onTestFinished(end)
  file.add([['one', 2, 3]])
  file.finish()
  const [id, , count] = COLUMNS
  expect([...file.rows([count, undefined, id])]).toEqual([[[3, null, 'one']]])
})
