import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { ExportRequest } from '../../exports/export-files.ts'
import { parseManifest } from '../../exports/revisions/manifest.ts'
import { fetchObject, sizesBelow } from '../../objects/objects.ts'
import { pathOf } from '../../objects/place.ts'
import { startObjectServer, useObjectKeys } from '../helpers/object-server.ts'
import type { Happening, ObjectServer } from '../helpers/object-server.ts'
import { builtScript } from '../helpers/program.ts'
import { LONG, sized } from '../helpers/size.ts'
import { createDatabase, insertRecords, sales } from './export-database.ts'
import { exportHere, freshFolder, orderFor, salesOf } from './order.ts'

const script = builtScript('export-process')

useObjectKeys()

interface Scene {
  server: ObjectServer
  /** An export by a machine of this name, into a mirror of its own. */
  machine: (name: string) => ExportRequest
  change: (total: string) => void
}

/** A day that was given out, and changed since. */
async function changedDay(): Promise<Scene> {
  const server = await startObjectServer()
  const folder = freshFolder()
  const database = createDatabase(join(folder, 'tillage.db'))
  insertRecords(database, sales, 'downtown', salesOf(20))
  const machine = (name: string): ExportRequest => {
    const objects = server.place(join(folder, name))
    return orderFor(folder, { out: objects.mirror, objects })
  }
  const change = (total: string): void =>
    void database.prepare("UPDATE _sales SET total = ? WHERE id = 's0000003'").run(total)
  await exportHere(machine('one'))
  change('13.00')
  server.asked.length = 0
  return { server, machine, change }
}

interface KillPoint {
  request: number
  /** It arrives before; else nothing of it does. */
  arrives: boolean
}

async function exportAndDie({ server, machine }: Scene, at: KillPoint): Promise<void> {
  const order = JSON.stringify(machine('one'))
  const child = spawn(process.execPath, [script, 'run', '0', order], { stdio: 'ignore' })
  const die = (): void => void child.kill('SIGKILL')
  let seen = 0
  server.happens = (): Happening => {
    if (seen++ !== at.request) return 'pass'
    if (at.arrives) return die
    die()
    return 'cut'
  }
  await once(child, 'exit')
  server.happens = () => 'pass'
  expect(child.signalCode).toBe('SIGKILL')
}

/** The sha256 of each object, by its name. Whatever a manifest there names is there as it says. */
async function wholeBucket({ machine }: Scene): Promise<Map<string, string>> {
  const place = machine('reader').objects!
  const found = new Map<string, string>()
  const manifests: string[] = []
  for (const address of (await sizesBelow(place, place.mirror)).keys()) {
    const path = pathOf(place, address)
    const name = address.split('/').at(-1)!
    found.set(name, (await fetchObject(place, path))!)
    if (name.startsWith('manifest_')) manifests.push(path)
  }
  for (const { files } of manifests.map(path => parseManifest(readFileSync(path, 'utf8'))!))
    for (const { path, sha256 } of files) expect(found.get(path), path).toBe(sha256)
  return found
}

it('an export that is killed at any of its requests leaves only whole exports in the bucket, and another machine ends it with the same bytes', async () => {
  const undisturbed = await changedDay()
  await exportHere(undisturbed.machine('one'))
  const requests = undisturbed.server.asked.length
  const expected = await wholeBucket(undisturbed)
  expect(requests).toBeGreaterThan(4)
  let orphans = 0
  for (let request = 0; request < requests; request++)
    // What is there once a request has arrived is there before the next one arrives.
    for (const arrives of LONG || request === requests - 1 ? [false, true] : [false]) {
      const scene = await changedDay()
      await exportAndDie(scene, { request, arrives })
      const left = await wholeBucket(scene)
      if (left.size > 7 && !left.has('manifest_downtown_2026-03-08_r1.json')) orphans++
      await exportHere(scene.machine('other'))
      expect(await wholeBucket(scene), `${request} ${arrives}`).toEqual(expected)
    }
  // The twin: deaths between the first file and the manifest were among them.
  expect(orphans).toBeGreaterThan(sized(2, 4))
})

it('files that no manifest came to name stand in nobody’s way once the day has changed again', async () => {
  const scene = await changedDay()
  const { server, machine, change } = scene
  server.happens = ({ method, key }) =>
    method === 'PUT' && key.includes('manifest_') ? 'cut' : 'pass'
  await expect(exportHere(machine('one'))).rejects.toMatchObject({ code: 'OBJECTS_UNREACHABLE' })
  server.happens = () => 'pass'
  change('14.00')
  const done = await exportHere(machine('other'))
  expect(done.published).toBe(true)
  const found = await wholeBucket(scene)
  const manifest = done.manifest.split('/').at(-1)!
  expect(found.has(manifest)).toBe(true)
  expect(
    [...found.keys()].filter(name => name.startsWith('sales_') && name.endsWith('.csv')),
  ).toHaveLength(3)
})
