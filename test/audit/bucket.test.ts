import { appendFileSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { auditFolder, auditsOf, readSnapshot, seal } from '../../audit/folder.ts'
import type { ManifestLog } from '../../connectors/destination/written-evidence.ts'
import { openGivenOut } from '../../connectors/sqlite/tables/given-out.ts'
import { givingLog } from '../../objects/give-folder.ts'
import { hashOf, sizesBelow } from '../../objects/objects.ts'
import { newestEvidence } from '../../outbound/evidence.ts'
import { verifyEvidence } from '../../outbound/verify-evidence.ts'
import { writeOnce } from '../../outbound/write-once.ts'
import { freshFolder } from '../exports/order.ts'
import { startObjectServer, useObjectKeys } from '../helpers/object-server.ts'
import { AuditScene } from '../reconcile/audit-scene.ts'

useObjectKeys()

async function inBucket() {
  const server = await startObjectServer()
  const objects = server.place(freshFolder())
  const scene = await AuditScene.start(objects)
  onTestFinished(() => scene.close())
  const { store } = await scene.snapshot('Quarantine')
  return { server, objects, scene, store }
}

it('an audit, its plan and its receipts lie in the bucket, and another machine goes on with them', async () => {
  const { objects, scene, store } = await inBucket()
  const [folder] = auditsOf(scene.exports, store)
  const snapshot = readSnapshot(folder!)
  const kept = await scene.plan(
    scene.count(snapshot, ({ expected }) => ({ counted_qty: String(Number(expected) + 1) })),
  )
  // The plan was made here; the next machine has nothing.
  rmSync(objects.mirror, { recursive: true })
  await scene.bring()
  expect(auditsOf(scene.exports, store).map(({ audit }) => audit)).toEqual([folder!.audit])
  expect(readSnapshot(folder!)).toEqual(snapshot)
  await scene.approve(kept, 'Store manager', 'Compliance lead')
  rmSync(objects.mirror, { recursive: true })
  const shown = await scene.applyAsWorker(kept)
  expect(shown.operations.map(({ state }) => state)).toEqual(['confirmed'])
  rmSync(objects.mirror, { recursive: true })
  await scene.bring()
  const newest = newestEvidence(folder!.path, folder!.audit)!
  const report = verifyEvidence(join(folder!.path, newest.name))!
  expect(report.problems).toEqual([])
  const receipt = newest.evidence.files.find(({ path }) => path.includes('/receipts/'))!
  expect(verifyEvidence(join(folder!.path, receipt.path))!.problems).toEqual([])
})

it('a manifest is in the bucket with all that it names before the log knows it', async () => {
  const { server, scene, store } = await inBucket()
  const [folder] = auditsOf(scene.exports, store)
  writeOnce(join(folder!.path, 'notes', 'one.txt'), 'one')
  server.happens = ({ method, key }) =>
    method === 'PUT' && key.includes('/notes/') ? 'cut' : 'pass'
  await expect(seal(scene.store, folder!)).rejects.toMatchObject({ code: 'OBJECTS_UNREACHABLE' })
  const known = async (): Promise<string[]> => {
    const givenOut = openGivenOut(scene.database, { readonly: true })
    const names = (await givenOut.manifests(0)).map(({ name }) => name)
    await givenOut.close()
    return names
  }
  expect(await known()).toHaveLength(1)
  server.happens = () => 'pass'
  // What was left is given with the next, in order.
  writeOnce(join(folder!.path, 'notes', 'two.txt'), 'two')
  server.asked.length = 0
  await seal(scene.store, folder!)
  const puts = server.asked.filter(({ method }) => method === 'PUT').map(({ key }) => key)
  expect(
    puts.map(key =>
      key
        .split('/')
        .at(-1)!
        .replace(/^manifest.*_/, ''),
    ),
  ).toEqual(['one.txt', 'r1.json', 'two.txt', 'r2.json'])
  expect(await known()).toHaveLength(2)
})

it('a sheet that somebody has filled in here is not written over, and is given again as it is', async () => {
  const { objects, scene, store } = await inBucket()
  const [folder] = auditsOf(scene.exports, store)
  const sheet = join(folder!.path, 'sheets', 'count_sheet.csv')
  appendFileSync(sheet, 'counted,by,hand\n')
  await scene.bring()
  expect(readFileSync(sheet, 'utf8')).toContain('counted,by,hand')
  await seal(scene.store, folder!)
  const { evidence } = newestEvidence(folder!.path, folder!.audit)!
  expect(evidence.changed).toHaveLength(1)
  expect(await hashOf(objects, sheet)).toBe(evidence.changed[0]!.to)
})

it('of two machines that seal an audit at once, the second begins anew with what the first has', async () => {
  const { server, objects, scene, store } = await inBucket()
  const [folder] = auditsOf(scene.exports, store)
  const there = server.place(freshFolder())
  await scene.bring(there)
  const other = auditFolder(there.mirror, store, folder!.audit)
  writeOnce(join(folder!.path, 'notes', 'one.txt'), 'one')
  writeOnce(join(other.path, 'notes', 'two.txt'), 'two')
  await seal(scene.store, folder!)
  const theirs = givingLog(logOf(scene), there)
  await expect(seal(theirs, other)).rejects.toMatchObject({ code: 'OBJECTS_TAKEN' })
  await scene.bring(there)
  await seal(theirs, other)
  const { name, evidence } = newestEvidence(other.path, other.audit)!
  expect(name).toContain('_r2.json')
  expect(evidence.files.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['notes/one.txt', 'notes/two.txt']),
  )
  expect(verifyEvidence(join(other.path, name))!.problems).toEqual([])
  expect((await sizesBelow(objects, folder!.path)).size).toBe(7)
})

/** The log of the database itself. */
const logOf = (scene: AuditScene): ManifestLog => ({
  async keepManifest(manifest) {
    const givenOut = openGivenOut(scene.database)
    await givenOut.keepManifest(manifest)
    await givenOut.close()
  },
})
