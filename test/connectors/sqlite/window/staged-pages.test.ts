import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createStagedPages } from '../../../../connectors/sqlite/window/staged-pages.ts'

let folder: string
let database: Database.Database
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tillage-staged-'))
  database = new Database(join(folder, 'tillage.db'))
})
afterEach(() => {
  database.close()
  rmSync(folder, { recursive: true })
})

it('gives back every page of every reading as it was staged, in its order, until it is discarded', () => {
  const page = fc.record({
    reading: fc.constantFrom('one', 'two', 'three'),
    page: fc.nat(6),
    rows: fc.nat(100),
    body: fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.record({ json: fc.json().map(json => Buffer.from(json)), cells: fc.int32Array() }),
    ),
  })
  const asJsonb = database.prepare('SELECT jsonb(CAST(? AS TEXT))').pluck()
  fc.assert(
    fc.property(fc.array(page, { maxLength: 30 }), fc.constantFrom('one', 'two'), (all, gone) => {
      const pages = createStagedPages(database)
      const expected = new Map<string, (typeof all)[number]>()
      for (const one of all) {
        pages.stage({ ...one, listPath: '$.values' })
        expected.set(`${one.reading} ${one.page}`, one)
      }
      pages.discard(gone)
      for (const reading of ['one', 'two', 'three']) {
        const wanted = [...expected.values()].filter(
          one => one.reading === reading && reading !== gone,
        )
        expect(pages.numbers(reading)).toEqual(wanted.map(one => one.page).sort((a, b) => a - b))
        for (const { page: number, rows, body } of wanted) {
          const { text, jsonb, ...known } = pages.page(reading, number)
          expect(known).toMatchObject({ rows, listPath: '$.values' })
          if (body instanceof Uint8Array) expect(jsonb()).toEqual(Buffer.from(body))
          else {
            expect(text).toEqual(body)
            expect(jsonb()).toEqual(asJsonb.get(body.json))
          }
        }
      }
      for (const reading of ['one', 'two', 'three']) pages.discard(reading)
    }),
    { numRuns: 50 },
  )
})

it('leaves no name on the disk while pages wait, and takes away what a killed process left', () => {
  writeFileSync(join(folder, 'tillage.db.staged-of-a-process-that-was-killed'), 'x')
  writeFileSync(join(folder, 'other.db.staged-of-another-database'), 'x')
  const pages = createStagedPages(database)
  pages.stage({ reading: 'one', page: 0, listPath: '$', rows: 1, body: Buffer.from('[1]') })
  expect(readdirSync(folder).filter(name => name.includes('staged'))).toEqual([
    'other.db.staged-of-another-database',
  ])
  expect(pages.page('one', 0).jsonb().toString()).toBe('[1]')
  pages.discard('one')
})
