import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import type { WrittenManifest } from '../../connectors/destination/written-evidence.ts'
import { bringWritten } from '../../objects/bring-written.ts'
import { removeObject } from '../../objects/objects.ts'
import { addressOf } from '../../objects/place.ts'
import type { ObjectPlace } from '../../objects/place.ts'
import { putAgain } from '../../objects/put.ts'
import { sha256Of } from '../../sha256.ts'
import { freshFolder } from '../exports/order.ts'
import { startObjectServer, useObjectKeys } from '../helpers/object-server.ts'

useObjectKeys()

type Files = Readonly<Record<string, string>>

/** Another machine gives folders into a bucket, and this one has nothing yet. */
async function twoMachines() {
  const server = await startObjectServer()
  const there = server.place(freshFolder())
  const here = server.place(freshFolder())
  const put = async (path: string, text: string): Promise<void> => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    await putAgain(there, { path, sha256: sha256Of(text) })
  }
  const give = async (
    folder: string,
    name: string,
    { files, changed = {} }: { files: Files; changed?: Files },
  ): Promise<WrittenManifest> => {
    const inFolder = join(there.mirror, folder)
    for (const [path, text] of Object.entries(files)) await put(join(inFolder, path), text)
    const manifest = JSON.stringify({
      files: Object.entries(files).map(([path, text]) => ({
        path,
        bytes: text.length,
        sha256: sha256Of(text),
      })),
      changed: Object.entries(changed).map(([path, text]) => ({ path, from: sha256Of(text) })),
      previous: null,
    })
    await put(join(inFolder, name), manifest)
    return { folder: addressOf(there, inFolder), name, sha256: sha256Of(manifest) }
  }
  const bring = (...written: WrittenManifest[]) => bringWritten(here, written, () => true)
  return { here, there, put, give, bring }
}

const namesIn = ({ mirror }: ObjectPlace, folder: string): string[] =>
  existsSync(join(mirror, folder)) ? readdirSync(join(mirror, folder)).toSorted() : []

it('what was changed in the bucket is named, and keeps nothing else back', async () => {
  const { here, there, put, give, bring } = await twoMachines()
  const first = await give('downtown/2026-03-07', 'manifest_r0.json', { files: { 'a.csv': 'a' } })
  const second = await give('downtown/2026-03-08', 'manifest_r0.json', { files: { 'b.csv': 'b' } })
  const third = await give('uptown/2026-03-08', 'manifest_r0.json', { files: { 'c.csv': 'c' } })
  await put(join(there.mirror, 'downtown/2026-03-07/manifest_r0.json'), '{}')
  const left = await bring(first, second, third)
  expect(left).toMatchObject([{ folder: first.folder, error: { code: 'EVIDENCE_CHANGED' } }])
  expect(left[0]!.error.message).toContain(`${first.folder}/${first.name} is not as it was given`)
  expect(namesIn(here, 'downtown/2026-03-07')).toEqual([])
  expect(namesIn(here, 'downtown/2026-03-08')).toEqual(['b.csv', 'manifest_r0.json'])
  expect(namesIn(here, 'uptown/2026-03-08')).toEqual(['c.csv', 'manifest_r0.json'])
})

it('a bucket that cannot be reached is no manifest that was changed', async () => {
  const { give, bring, here } = await twoMachines()
  const written = await give('downtown/2026-03-07', 'manifest_r0.json', { files: {} })
  const elsewhere = { ...here, endpoint: 'http://127.0.0.1:9' }
  await expect(bringWritten(elsewhere, [written], () => true)).rejects.toMatchObject({
    code: 'OBJECTS_UNREACHABLE',
  })
  expect(await bring(written)).toEqual([])
})

it.each(['gone', 'changed'])(
  'a manifest has no name here as long as a file of it is %s',
  async how => {
    const { here, there, put, give, bring } = await twoMachines()
    const files = { 'a.csv': 'a', 'b.csv': 'b' }
    const written = await give('downtown/2026-03-07', 'manifest_r0.json', { files })
    const path = join(there.mirror, 'downtown/2026-03-07/b.csv')
    await (how === 'gone' ? removeObject(there, path) : put(path, 'other'))
    const [left] = await bring(written)
    expect(left!.error).toMatchObject({ code: 'EVIDENCE_CHANGED' })
    expect(left!.error.message).toContain(`${written.folder}/b.csv is gone, or is not as`)
    expect(namesIn(here, 'downtown/2026-03-07')).toEqual(['a.csv'])
    // The twin: once it is there again.
    await put(path, 'b')
    expect(await bring(written)).toEqual([])
    expect(namesIn(here, 'downtown/2026-03-07')).toHaveLength(3)
  },
)

it('a sheet is replaced by the one that was filled in elsewhere, and stays where it was filled in here', async () => {
  const { here, give, bring } = await twoMachines()
  const folder = 'downtown/audits/AUD-1'
  const name = (revision: number): string => `manifest_AUD-1_r${revision}.json`
  const sheets = { 'sheets/one.csv': 'empty', 'sheets/two.csv': 'empty' }
  const first = await give(folder, name(0), { files: sheets })
  expect(await bring(first)).toEqual([])
  const own = join(here.mirror, folder, 'sheets/two.csv')
  writeFileSync(own, 'filled in here')
  const filled = { 'sheets/one.csv': 'filled in', 'sheets/two.csv': 'filled in there' }
  const second = await give(folder, name(1), { files: filled, changed: sheets })
  const more = { ...filled, 'sheets/one.csv': 'filled in again' }
  const third = await give(folder, name(2), {
    files: more,
    changed: { 'sheets/one.csv': 'filled in' },
  })
  expect(await bring(first, second, third)).toEqual([])
  expect(readFileSync(join(here.mirror, folder, 'sheets/one.csv'), 'utf8')).toBe('filled in again')
  expect(readFileSync(own, 'utf8')).toBe('filled in here')
  expect(namesIn(here, folder)).toEqual([name(0), name(1), name(2), 'sheets'])
})

it('a sheet that is another by now than the newest manifest says keeps that from nobody', async () => {
  const { here, there, put, give, bring } = await twoMachines()
  const folder = 'downtown/audits/AUD-1'
  const first = await give(folder, 'manifest_AUD-1_r0.json', {
    files: { 'sheets/one.csv': 'empty' },
  })
  const second = await give(folder, 'manifest_AUD-1_r1.json', {
    files: { 'sheets/one.csv': 'filled in' },
    changed: { 'sheets/one.csv': 'empty' },
  })
  await put(join(there.mirror, folder, 'sheets/one.csv'), 'filled in again')
  expect(await bring(first, second)).toEqual([])
  const names = ['manifest_AUD-1_r0.json', 'manifest_AUD-1_r1.json']
  expect(namesIn(here, folder)).toEqual([...names, 'sheets'])
  expect(namesIn(here, join(folder, 'sheets'))).toEqual([])
})
