import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ExportRequest } from '../../exports/export-files.ts'
import { verifyManifest } from '../../exports/revisions/verify.ts'
import { builtScript } from '../helpers/program.ts'
import { sized } from '../helpers/size.ts'
import { createDatabase, insertRecords, sales } from './export-database.ts'
import { historyAt } from './history-at.ts'
import { exportHere, filesIn, pathIn, freshFolder, orderFor, salesOf } from './order.ts'

const script = builtScript('export-process')

async function runAndDie(
  how: string,
  at: number,
  order: ExportRequest,
): Promise<{ killed: boolean; stdout: string }> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [
      script,
      how,
      String(at),
      JSON.stringify(order),
    ])
    return { killed: false, stdout }
  } catch (error) {
    if (
      typeof error === 'object' &&
      error !== null &&
      'signal' in error &&
      error.signal === 'SIGKILL'
    )
      return { killed: true, stdout: '' }
    throw error
  }
}

const bytesOf = (out: string): Record<string, string> =>
  Object.fromEntries(
    filesIn(out)
      .filter(name => !name.startsWith('.'))
      .map(name => [
        name,
        createHash('sha256')
          .update(readFileSync(pathIn(out, name)))
          .digest('hex'),
      ]),
  )

/**
 * A published first revision and a change, so that the run that dies is about to publish the second
 * one.
 */
async function changedDay(rows: number): Promise<{
  folder: string
  order: ExportRequest
  expected: Record<string, string>
  before: Record<string, string>
}> {
  const folder = freshFolder()
  const database = createDatabase(join(folder, 'tillage.db'))
  insertRecords(database, sales, 'downtown', salesOf(rows))
  const order = orderFor(folder)
  await exportHere(order)
  const undisturbed = { ...order, out: join(folder, 'undisturbed') }
  await exportHere(undisturbed)
  const before = bytesOf(order.out)
  database.exec("UPDATE _sales SET total = '13.00' WHERE id = 's0000003'")
  database.close()
  await exportHere(undisturbed)
  return { folder, order, expected: bytesOf(undisturbed.out), before }
}

/** The same export into a copy of its folder. */
function copyOf(order: ExportRequest, name: string | number): ExportRequest {
  const out = `${order.out}-${name}`
  cpSync(order.out, out, { recursive: true })
  return { ...order, out }
}

/** How many changes of its folder an export makes. */
async function countCalls(order: ExportRequest): Promise<number> {
  const { stdout } = await runAndDie('count', 0, copyOf(order, 'counted'))
  return (JSON.parse(stdout) as { calls: number }).calls
}

/**
 * Whatever the moment of death: what was published still is, and nothing half-made has a manifest.
 */
function expectWhole(order: ExportRequest, before: Record<string, string>): void {
  expect(bytesOf(order.out)).toMatchObject(before)
  for (const name of filesIn(order.out))
    if (name.startsWith('manifest_'))
      expect(verifyManifest(pathIn(order.out, name)).problems).toEqual([])
}

describe('an export that is killed', () => {
  it('at any step leaves only whole exports, and the next run ends like an undisturbed one', async () => {
    const { order, expected, before } = await changedDay(40)
    const calls = await countCalls(order)
    // The steps around the final names and the manifest, which come just before the locks are
    // released, and two early ones.
    const steps = [
      ...Array.from({ length: sized(5, 10) }, (_, back) => calls - 8 - back * sized(2, 1)),
      Math.floor(calls / 2),
      3,
    ]
    let orphans = 0
    await Promise.all(
      steps.map(async step => {
        const copied = copyOf(order, step)
        expect(await runAndDie('call', step, copied)).toMatchObject({ killed: true })
        expectWhole(copied, before)
        const left = filesIn(copied.out)
        if (
          left.some(name => name.startsWith('sales_downtown_2026-03-08_r1')) &&
          !left.some(name => name.startsWith('manifest_downtown_2026-03-08_r1'))
        )
          orphans++
        await exportHere(copied)
        expect(bytesOf(copied.out)).toEqual(expected)
        expect(filesIn(copied.out)).toEqual(Object.keys(expected))
      }),
    )
    // The twin: deaths between the first final name and the manifest were among them.
    expect(orphans).toBeGreaterThan(1)
  })

  it('by a failing disk around its manifest keeps all of it or nothing, and the next run says the same', async () => {
    const { order, expected, before } = await changedDay(40)
    const calls = await countCalls(order)
    const failed: [string, boolean][] = []
    // Its final name, and the folder's way to the disk after that, which come before the locks are
    // released.
    for (const step of [12, 11, 10].map(back => calls - back)) {
      const copied = copyOf(order, step)
      const { error } = JSON.parse((await runAndDie('fail', step, copied)).stdout) as {
        error: string
      }
      expectWhole(copied, before)
      const isGiven = filesIn(copied.out).includes('manifest_downtown_2026-03-08_r1.json')
      failed.push([error, isGiven])
      await exportHere(copied)
      expect(bytesOf(copied.out)).toEqual(expected)
    }
    expect(failed).toEqual([
      ['Error: the disk fails at renameSync', false],
      ['Error: the disk fails at openSync', true],
      ['Error: the disk fails at fsyncSync', true],
    ])
  })

  it('that a failing disk ended after its manifest had its name leaves none that the log does not have', async () => {
    const { order } = await changedDay(40)
    const calls = await countCalls(order)
    const history = await historyAt(order.localFiles)
    onTestFinished(() => history.close())
    const copied = copyOf(order, 'failed')
    await runAndDie('fail', calls - 11, copied)
    const database = new Database(order.localFiles)
    database.exec("UPDATE _sales SET total = '14.00' WHERE id = 's0000003'")
    database.close()
    await exportHere(copied)
    const logged = (await history.manifests(0)).map(one => join(one.folder, one.name))
    const manifests = filesIn(copied.out).filter(name => name.startsWith('manifest_'))
    // The first one was copied here.
    const [, ...made] = manifests.sort().map(name => pathIn(copied.out, name))
    expect(made).toHaveLength(2)
    expect(logged).toEqual(expect.arrayContaining(made))
  })

  it('at any moment of its work does the same', async () => {
    const { order, expected, before, folder } = await changedDay(3000)
    const { stdout } = await runAndDie('count', 0, { ...order, out: join(folder, 'timed') })
    const { ms } = JSON.parse(stdout) as { ms: number }
    let killed = 0
    const deaths = sized(3, 40)
    for (let death = 0; death < deaths; death++) {
      const afterMs = Math.round((ms * (death + Math.random())) / (deaths + 1))
      if ((await runAndDie('after', afterMs, order)).killed) killed++
      expectWhole(order, before)
    }
    expect(killed).toBeGreaterThan(deaths / 3)
    await exportHere(order)
    expect(bytesOf(order.out)).toEqual(expected)
    expect(filesIn(order.out)).toEqual(Object.keys(expected))
  })

  it('is cleaned up by the next export into the same folder, even of another day', async () => {
    const { order, before } = await changedDay(40)
    const hidden = (): string[] =>
      readdirSync(order.out).filter(name => name.startsWith('.tillage_'))
    // Loading the program is most of the calls before it.
    for (let call = 66; hidden().length === 0; call++)
      expect(await runAndDie('call', call, order)).toMatchObject({ killed: true })
    await exportHere({
      ...order,
      days: { from: '2026-03-09', to: '2026-03-10' },
      formats: ['csv'],
    })
    expect(hidden()).toEqual([])
    expectWhole(order, before)
  })
})
