import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BackupSource } from '../../backup/make-backup.ts'
import {
  makeScheduledBackup,
  nameOfBackup,
  outdatedBackups,
} from '../../backup/scheduled-backup.ts'
import { DAY_MS } from '../../calendar/days.ts'
import { openDestination } from '../../connectors/database.ts'

const NOW_MS = Date.parse('2026-11-24T07:30:00Z')
const day = (before: number): string => nameOfBackup(NOW_MS - before * DAY_MS)

test('the newest are kept, and nothing that is not one of ours is ever named', () => {
  const days = fc.uniqueArray(fc.nat(400), { maxLength: 40 })
  const others = fc.array(fc.string(), { maxLength: 10 })
  fc.assert(
    fc.property(days, others, fc.integer({ min: 1, max: 30 }), (ages, strangers, keep) => {
      const ours = ages.map(day)
      const entries = [...strangers, ...ours, ...ours.map(name => `${name}.files.json`)]
      const gone = outdatedBackups(entries, { keep, nowMs: NOW_MS })
      const kept = ours.filter(name => !gone.includes(name))
      expect(kept.length).toBe(Math.min(keep, ours.length))
      expect(gone.every(name => ours.includes(name))).toBe(true)
      for (const name of gone) for (const newer of kept) expect(name < newer).toBe(true)
    }),
  )
})

test('what is left of a killed attempt goes after a day, and not while it may be under way', () => {
  const parts = [`${day(3)}.files.json`, `${day(3)}.77.partial`, `${day(0.5)}.77.partial`]
  expect(outdatedBackups([...parts, day(2)], { keep: 1, nowMs: NOW_MS })).toEqual([day(3)])
})

let folder: string
let source: BackupSource
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tillage-backup-'))
  const database = join(folder, 'tillage.db')
  const written = { text: 'stores: []\n', storeFiles: [] }
  source = { database, exports: join(folder, 'exports'), objects: undefined, written }
  await (await openDestination({ database, localFiles: database }, [])).close()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const signal = new AbortController().signal
const make = (to: string, nowMs: number, exports = source.exports) =>
  makeScheduledBackup({ ...source, exports }, { to, keep: 2, files: false }, { nowMs, signal })

test('the oldest backup goes once a newer one is whole, with everything beside it', async () => {
  const to = mkdtempSync(join(folder, 'to-'))
  const removed: number[] = []
  for (const before of [3, 2, 1, 0])
    removed.push((await make(to, NOW_MS - before * DAY_MS)).removed)
  expect(removed).toEqual([0, 0, 1, 1])
  expect(readdirSync(to).toSorted()).toEqual(
    [day(1), day(0)].flatMap(name => [name, `${name}.files.json`, `${name}.settings.yaml`]),
  )
})

test('a backup that fails removes no old one, and leaves nothing that looks like a backup', async () => {
  const to = mkdtempSync(join(folder, 'failing-'))
  for (const before of [3, 2]) await make(to, NOW_MS - before * DAY_MS)
  const noFolder = join(folder, 'exports-that-are-a-file')
  writeFileSync(noFolder, '')
  await expect(make(to, NOW_MS, noFolder)).rejects.toThrow('ENOTDIR')
  expect(readdirSync(to).filter(name => name.endsWith('.db'))).toEqual([day(3), day(2)])
})

test('a folder that is not there is no reason to make it: its disk may not be mounted', async () => {
  await expect(make(join(folder, 'not-mounted'), NOW_MS)).rejects.toThrow(/no folder .*not-mounted/)
})
