import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openGivenOut } from '../../connectors/database-for-exports.ts'
import type { ExportRequest } from '../../exports/export-files.ts'
import type { ExportResult } from '../../exports/request.ts'
import { verifyManifest } from '../../exports/revisions/verify.ts'
import { removeObject, sizesBelow } from '../../objects/objects.ts'
import { putAgain } from '../../objects/put.ts'
import { sha256Of } from '../../sha256.ts'
import { startObjectServer, useObjectKeys } from '../helpers/object-server.ts'
import type { Happening, ObjectServer } from '../helpers/object-server.ts'
import { waitFor } from '../temporal/wait-for.ts'
import { createDatabase, insertRecords, sales } from './export-database.ts'
import { exportHere, filesIn, freshFolder, orderFor, salesOf } from './order.ts'

useObjectKeys()

/** Two machines, each with a mirror of its own, that share a database and a bucket. */
async function twoMachines() {
  const server = await startObjectServer()
  const folder = freshFolder()
  const database = createDatabase(join(folder, 'tillage.db'))
  insertRecords(database, sales, 'downtown', salesOf(20))
  const machine = (name: string): ExportRequest => {
    const objects = server.place(join(folder, name))
    return orderFor(folder, { out: objects.mirror, objects })
  }
  const change = (): void =>
    void database.exec("UPDATE _sales SET total = total + 1 WHERE id = 's0000003'")
  return { server, folder, database, one: machine('one'), other: machine('other'), change }
}

const keysIn = async (order: ExportRequest): Promise<string[]> =>
  [...(await sizesBelow(order.objects!, order.out)).keys()].toSorted()

/** What the database remembers of the day. */
async function namesKnown(folder: string, database = 'tillage.db'): Promise<string[]> {
  const history = await openGivenOut(join(folder, database), { readonly: true })
  const names = [...(await history.givenIn(DAY)).keys()]
  await history.close()
  return names.toSorted()
}

/** The database restored to an earlier state, with other rows since, on a new machine. */
function restoredOn(server: ObjectServer, folder: string, order: ExportRequest): ExportRequest {
  const database = join(folder, 'restored.db')
  insertRecords(createDatabase(database), sales, 'downtown', salesOf(20, '13.50'))
  const objects = server.place(join(folder, 'new'))
  return { ...order, database, localFiles: database, out: objects.mirror, objects }
}

const nameOf = ({ out }: ExportRequest, name: string): string =>
  join(out, 'downtown', '2026-03-08', name)

const onlyCsv = (order: ExportRequest): ExportRequest => ({
  ...order,
  datasets: ['sales'],
  formats: ['csv'],
})

const methods = ({ asked }: ObjectServer, one: string): string[] =>
  asked.filter(({ method }) => method === one).map(({ key }) => key)

const facts = ({ published, revision, files }: ExportResult): object => ({
  published,
  revision,
  files: files.map(({ path: _path, ...rest }) => rest),
})

const DAY = 's3://books/tillage/downtown/2026-03-08'

describe('an export into a bucket', () => {
  it('puts its files first and its manifest last, and the database knows their addresses', async () => {
    const { server, folder, one } = await twoMachines()
    const phases: string[] = []
    const done = await exportHere({ ...one, progress: ({ phase }) => phases.push(phase) })
    expect(phases[0]).toBe('asking the bucket')
    const puts = server.asked.filter(({ method }) => method === 'PUT').map(({ key }) => key)
    expect(puts).toHaveLength(7)
    expect(puts.at(-1)).toBe('tillage/downtown/2026-03-08/manifest_downtown_2026-03-08_r0.json')
    const history = await openGivenOut(join(folder, 'tillage.db'), { readonly: true })
    expect((await history.files()).map(({ path }) => path).toSorted()).toEqual(
      (await keysIn(one)).filter(key => !key.includes('manifest')),
    )
    expect(await history.manifests(0)).toMatchObject([
      { folder: DAY, name: 'manifest_downtown_2026-03-08_r0.json' },
    ])
    await history.close()
    expect(verifyManifest(done.manifest).problems).toEqual([])
  })

  it('of another machine goes on with what this one gave out', async () => {
    const { one, other, change } = await twoMachines()
    const first = await exportHere(one)
    const again = await exportHere(other)
    expect(facts(again)).toEqual({ ...facts(first), published: false })
    change()
    const second = await exportHere(other)
    expect(second).toMatchObject({ revision: 1, published: true })
    expect(verifyManifest(second.manifest)).toMatchObject({ problems: [], chain: [{}] })
    const here = await exportHere(one)
    expect(facts(here)).toEqual({ ...facts(second), published: false })
    expect(filesIn(join(one.out, 'downtown'))).toEqual(
      expect.arrayContaining(filesIn(join(other.out, 'downtown'))),
    )
  })

  it('gives out again what was removed from the bucket, and what was removed here', async () => {
    const { one, other } = await twoMachines()
    await exportHere(one)
    const before = await keysIn(one)
    const gone = join(one.out, 'downtown', '2026-03-08', 'sales_downtown_2026-03-08_r0.csv')
    await removeObject(one.objects!, gone)
    expect(await keysIn(one)).not.toEqual(before)
    await exportHere(other)
    expect(await keysIn(one)).toEqual(before)
    rmSync(one.out, { recursive: true })
    const again = await exportHere(one)
    expect(again.published).toBe(false)
    expect(verifyManifest(again.manifest).problems).toEqual([])
  })

  it('gives out again what it was not asked for and has here, the manifest last', async () => {
    const { server, one } = await twoMachines()
    const done = await exportHere(one)
    const before = await keysIn(one)
    const gone = nameOf(one, 'sale_items_downtown_2026-03-08_r0.jsonl')
    for (const path of [gone, done.manifest]) await removeObject(one.objects!, path)
    const here = filesIn(one.out)
    await exportHere({ ...onlyCsv(one), dryRun: true })
    // Neither looks at the bucket by changing it, nor takes away what is nowhere else.
    expect(await keysIn(one)).toHaveLength(before.length - 2)
    expect(filesIn(one.out)).toEqual(here)
    server.asked.length = 0
    expect((await exportHere(onlyCsv(one))).published).toBe(false)
    expect(await keysIn(one)).toEqual(before)
    expect(methods(server, 'HEAD')).toEqual([])
    expect(methods(server, 'PUT').map(key => basename(key))).toEqual([
      basename(gone),
      basename(done.manifest),
    ])
    expect(verifyManifest(done.manifest).problems).toEqual([])
  })

  it('gives no manifest out again whose file is lost, and makes that anew where it is asked for', async () => {
    const { one } = await twoMachines()
    const done = await exportHere(one)
    const before = await keysIn(one)
    const lost = nameOf(one, 'sales_downtown_2026-03-08_r0.jsonl')
    for (const path of [lost, done.manifest]) await removeObject(one.objects!, path)
    // As long as it was, and other bytes.
    writeFileSync(lost, readFileSync(lost, 'utf8').replace('Sale', 'Sold'))
    await exportHere(onlyCsv(one))
    expect(await keysIn(one)).toHaveLength(before.length - 2)
    expect(existsSync(lost)).toBe(true)
    await exportHere(one)
    expect(await keysIn(one)).toEqual(before)
    expect(verifyManifest(done.manifest).problems).toEqual([])
  })

  it('remembers what it sent although no answer came, and nothing that was refused', async () => {
    const { server, folder, one, other, change } = await twoMachines()
    let isSent = false
    server.happens = ({ method }): Happening => {
      if (method !== 'PUT') return 'pass'
      const first = isSent ? 'cut' : (): void => {}
      isSent = true
      return first
    }
    await expect(exportHere(one)).rejects.toMatchObject({ code: 'OBJECTS_UNREACHABLE' })
    server.happens = () => 'pass'
    const sent = (await keysIn(one)).map(key => basename(key))
    expect(sent).toHaveLength(1)
    const known = await namesKnown(folder)
    expect(known).toEqual(expect.arrayContaining(sent))
    expect(known).toHaveLength(7)
    change()
    const done = await exportHere(other)
    expect(done).toMatchObject({ published: true, revision: 1 })
    expect(verifyManifest(done.manifest).problems).toEqual([])
  })

  it('follows what lies there though its database remembers nothing of it', async () => {
    const { server, folder, one, change } = await twoMachines()
    const first = await exportHere(one)
    const restored = restoredOn(server, folder, one)
    server.asked.length = 0
    const done = await exportHere(restored)
    expect(done).toMatchObject({ published: true, revision: 1 })
    // One turn in vain, of which one name at the most was asked about by itself.
    expect(methods(server, 'PUT')).toHaveLength(4 + 7)
    expect(verifyManifest(done.manifest)).toMatchObject({ problems: [], chain: [{}] })
    expect(await namesKnown(folder, 'restored.db')).toEqual(
      done.files
        .map(({ path }) => basename(path))
        .concat(basename(done.manifest))
        .toSorted(),
    )
    expect((await exportHere(restored)).published).toBe(false)
    expect(verifyManifest(first.manifest).problems).toEqual([])
    change()
    const last = await exportHere(one)
    expect(last.revision).toBe(2)
    expect(verifyManifest(last.manifest)).toMatchObject({ problems: [], chain: [{}, {}] })
  })

  it('follows it, too, where it had remembered names that it could not give out', async () => {
    const { server, folder, one } = await twoMachines()
    const { manifest } = await exportHere(one)
    const restored = restoredOn(server, folder, one)
    server.happens = ({ method }) => (method === 'PUT' ? 'cut' : 'pass')
    await expect(exportHere(restored)).rejects.toMatchObject({ code: 'OBJECTS_UNREACHABLE' })
    server.happens = () => 'pass'
    expect(await namesKnown(folder, 'restored.db')).toContain(basename(manifest))
    const done = await exportHere(restored)
    expect(done).toMatchObject({ published: true, revision: 1 })
    expect(verifyManifest(done.manifest)).toMatchObject({ problems: [], chain: [{}] })
    // The twin: what the log has was given out, and is another's by nobody's right.
    const sha256 = sha256Of(readFileSync(manifest))
    await putAgain(restored.objects!, { path: done.manifest, from: manifest, sha256 })
    rmSync(restored.out, { recursive: true })
    await expect(exportHere(restored)).rejects.toMatchObject({ code: 'EVIDENCE_CHANGED' })
  })

  it('of two machines at once makes one state', async () => {
    const { server, one, other } = await twoMachines()
    // Each waits with its manifest until the other has one, too.
    const waiting: (() => void)[] = []
    server.happens = async ({ method, key }): Promise<Happening> => {
      if (method === 'PUT' && key.includes('manifest_') && waiting.length < 2)
        await new Promise<void>(resolve => {
          waiting.push(resolve)
          if (waiting.length === 2) for (const go of waiting) go()
        })
      return 'pass'
    }
    const done = await Promise.all([exportHere(one), exportHere(beside(other))])
    expect(waiting).toHaveLength(2)
    expect(facts(done[0])).toEqual(facts(done[1]))
    expect(await keysIn(one)).toHaveLength(7)
  })

  it('of two machines that see different rows makes two revisions, one after the other', async () => {
    const { server, folder, one, other, change } = await twoMachines()
    const held = Promise.withResolvers<void>()
    let isHeld = false
    server.happens = async ({ method, key }): Promise<Happening> => {
      if (method !== 'PUT' || !key.includes('manifest_') || isHeld) return 'pass'
      isHeld = true
      await held.promise
      return 'pass'
    }
    const slow = exportHere(one)
    await waitFor(() => isHeld, 'the first manifest to be on its way')
    change()
    const fast = await exportHere(beside(other))
    held.resolve()
    const late = await slow
    expect(fast.published).toBe(true)
    for (const { manifest } of [fast, late]) expect(verifyManifest(manifest).problems).toEqual([])
    const objects = server.place(join(folder, 'third'))
    const last = await exportHere({ ...one, out: objects.mirror, objects })
    expect(last).toMatchObject({ published: false, revision: 1 })
    expect(verifyManifest(last.manifest).problems).toEqual([])
  })
})

/** As if the database lay on a server: what keeps processes of one machine apart is not there. */
const beside = (order: ExportRequest): ExportRequest => ({
  ...order,
  localFiles: join(order.out, '..', 'tillage.db'),
})
