import { fstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { AnswerText } from '../../../connectors/cells.ts'
import { createPageFiles, stagedPages } from '../../../connectors/staged/files-beside.ts'

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

/** Whoever stages a page loses its bytes. */
const copyOf = ({ json, cells }: AnswerText): AnswerText => ({
  json: Uint8Array.from(json),
  cells: Int32Array.from(cells),
})

const NOTHING_ODD = { unfit: [{ position: 1, reason: 'odd' }] }
const textOf = (json: string): AnswerText => ({ json: Buffer.from(json), cells: new Int32Array(3) })

it('gives back every page of every reading as it was staged, in its order, until it is discarded', () => {
  const page = fc.record({
    reading: fc.constantFrom('one', 'two', 'three'),
    page: fc.nat(6),
    rows: fc.nat(100),
    body: fc.record({ json: fc.json().map(json => Buffer.from(json)), cells: fc.int32Array() }),
  })
  fc.assert(
    fc.property(fc.array(page, { maxLength: 30 }), fc.constantFrom('one', 'two'), (all, gone) => {
      const files = createPageFiles(database.name)
      const expected = new Map<string, (typeof all)[number]>()
      for (const one of all) {
        files.stage({ ...one, body: copyOf(one.body), ...NOTHING_ODD })
        expected.set(`${one.reading} ${one.page}`, one)
      }
      files.discard(gone)
      for (const reading of ['one', 'two', 'three']) {
        const wanted = [...expected.values()].filter(
          one => one.reading === reading && reading !== gone,
        )
        const { pages: staged } = files.lend(reading)
        const found = [...stagedPages(staged)].map(({ number }) => number)
        expect(found).toEqual(wanted.map(one => one.page).sort((a, b) => a - b))
        for (const { number, text, ...known } of stagedPages(staged)) {
          const { rows, body } = wanted.find(({ page: place }) => place === number)!
          expect(known).toEqual({ rows, ...NOTHING_ODD })
          expect(text).toEqual(body)
        }
      }
      files.close()
    }),
    { numRuns: 50 },
  )
})

it('leaves no name on the disk while pages wait, and takes away what a killed process left', () => {
  writeFileSync(join(folder, 'tillage.db.staged-of-a-process-that-was-killed'), 'x')
  writeFileSync(join(folder, 'other.db.staged-of-another-database'), 'x')
  const files = createPageFiles(database.name)
  files.stage({ reading: 'one', page: 0, rows: 1, body: textOf('[1]'), ...NOTHING_ODD })
  expect(readdirSync(folder).filter(name => name.includes('staged'))).toEqual([
    'other.db.staged-of-another-database',
  ])
  const { pages } = files.lend('one')
  expect([...stagedPages(pages)][0]!.text).toEqual(textOf('[1]'))
  files.close()
})

it('gives the memory of a page back as soon as it is in its file', () => {
  const files = createPageFiles(database.name)
  const body = { json: Buffer.allocUnsafeSlow(100).fill(' '), cells: new Int32Array(25) }
  files.stage({ reading: 'one', page: 0, rows: 1, body, ...NOTHING_ODD })
  expect([body.json.length, body.cells.length]).toEqual([0, 0])
  files.close()
})

it('keeps the file of pages that are being committed open, although they are discarded, and no longer', () => {
  const files = createPageFiles(database.name)
  const stage = (reading: string): void =>
    files.stage({ reading, page: 0, rows: 1, body: textOf(`["${reading}"]`), ...NOTHING_ODD })
  stage('one')
  const { pages, giveBack } = files.lend('one')
  files.discard('one')
  // Would be given the descriptor of a file that was closed.
  stage('two')
  expect([...stagedPages(pages)][0]!.text).toEqual(textOf('["one"]'))
  giveBack()
  expect(() => fstatSync(pages!.file)).toThrow('EBADF')
  files.close()
})
