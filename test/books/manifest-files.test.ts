import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { manifestFiles } from '../../books/manifest-files.ts'
import type { Manifest } from '../../exports/revisions/manifest.ts'

let out: string
let folder: string
beforeEach(() => {
  out = mkdtempSync(join(tmpdir(), 'tillage-test-'))
  folder = join(out, 'downtown')
  mkdirSync(folder)
})
afterEach(() => rmSync(out, { recursive: true }))

/** A manifest of one file. */
function write(day: string): void {
  const manifest: Manifest = {
    manifest: 2,
    tool: 'tillage',
    writer: 'here',
    store: 'downtown',
    days: { from: day, to: day },
    range: { start: `${day}T08:00:00.000Z`, end: `${day}T09:00:00.000Z` },
    revision: 0,
    addition: 1,
    states: [],
    people: false,
    datasets: [],
    proof: null,
    previous: null,
    files: [
      {
        path: `vendors_${day}.csv`,
        dataset: 'vendors',
        format: 'csv',
        rows: 1,
        bytes: 1,
        revision: 0,
        sha256: 'a'.repeat(64),
      },
    ],
  }
  writeFileSync(join(folder, `manifest_downtown_${day}_r0.json`), JSON.stringify(manifest))
}

const days = (): string[] => manifestFiles(out).map(({ from }) => from)

it('a manifest that came within one tick of the clock of files is seen', () => {
  // However long the machine takes: it has just begun.
  const tick = new Date(Date.now() + 600_000)
  write('2026-03-01')
  utimesSync(folder, tick, tick)
  expect(days()).toEqual(['2026-03-01'])
  write('2026-03-02')
  utimesSync(folder, tick, tick)
  expect(days().toSorted()).toEqual(['2026-03-01', '2026-03-02'])
})

it('a folder that has not changed for long is not read again, and one that has changed is', () => {
  write('2026-03-01')
  utimesSync(folder, new Date('2026-03-01'), new Date('2026-03-01'))
  expect(days()).toEqual(['2026-03-01'])
  write('2026-03-02')
  utimesSync(folder, new Date('2026-03-01'), new Date('2026-03-01'))
  expect(days()).toEqual(['2026-03-01'])
  utimesSync(folder, new Date('2026-03-02'), new Date('2026-03-02'))
  expect(days().toSorted()).toEqual(['2026-03-01', '2026-03-02'])
})
