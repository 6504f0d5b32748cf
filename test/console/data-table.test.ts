import { expect, test } from 'vitest'
import { link, tableAsCsv, tableSection } from '../../console/parts/data-table.ts'
import type { DataTable } from '../../console/parts/data-table.ts'
import { enter, startScene } from './console.ts'

const tableOf = (id: string, rows: number): DataTable => ({
  id,
  title: id,
  columns: [{ name: 'row' }],
  rows: Array.from({ length: rows }, (_, at) => [`${id} ${at + 1}`]),
  empty: '',
})

test('a short table stays as it is on the further pages of a long one beside it, and so does its file', () => {
  const shown = { page: 2, linkTo: () => '/plans' }
  const [short, long] = [tableOf('short', 3), tableOf('long', 150)]
  expect(tableSection(short, shown).markup).toContain('short 3')
  expect(tableAsCsv(short, 2)).toContain('short 1')
  expect(tableSection(long, shown).markup).toContain('long 101')
  expect(tableSection(long, shown).markup).not.toContain('long 100<')
  expect(tableAsCsv(long, 2)).not.toContain('long 100')
})

test('no line breaks within a day, on paper neither', () => {
  const days = [
    link('/books/downtown/2026-11-25', '2026-11-25'),
    '2026-11-25 14:02',
    'from 2026-11-25',
  ]
  const table = { ...tableOf('days', 0), rows: days.map(day => [day]) }
  const { markup } = tableSection(table, { page: 1, linkTo: () => '/books' })
  expect(markup.match(/<td class="time">/g)).toHaveLength(2)
})

test('before anything was read there is a page that says so, and no file of it', async () => {
  const { served, close } = await startScene()
  const visitor = await enter(served)
  expect((await visitor.get('/books')).status).toBe(200)
  const { status, headers, text } = await visitor.get('/books?format=csv')
  expect([status, headers.get('content-type')]).toEqual([404, 'text/plain; charset=utf-8'])
  expect(text).toMatch(/^nothing was read yet: .+\n$/)
  await close()
})
