import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseManifest } from '../../../exports/revisions/manifest.ts'
import type { Manifest } from '../../../exports/revisions/manifest.ts'
import { verifyTotals } from '../../../exports/revisions/verify-totals.ts'
import { createDatabase, insertRecords, sales } from '../export-database.ts'
import { exportHere, freshFolder, orderFor, salesOf } from '../order.ts'

async function exported(): Promise<{ path: string; manifest: Manifest }> {
  const folder = freshFolder()
  const database = createDatabase(join(folder, 'tillage.db'))
  insertRecords(database, sales, 'downtown', salesOf(7, '-12.505'))
  database.close()
  const { manifest } = await exportHere(
    orderFor(folder, { formats: ['parquet', 'csv', 'jsonl', 'xlsx'] }),
  )
  return { path: manifest, manifest: parseManifest(readFileSync(manifest, 'utf8'))! }
}

describe('control totals', () => {
  it('are those of the files, in every format', async () => {
    const { path, manifest } = await exported()
    expect(manifest.datasets[0]!.sums['total']).toBe('-87.535')
    expect(await verifyTotals(path, manifest, new Set())).toEqual([])
  })

  it.each([
    [
      'a cent more',
      (manifest: Manifest) => (manifest.datasets[0]!.sums['total'] = '-87.525'),
      'total adds up to -87.535, the manifest says -87.525',
    ],
    [
      'a row less',
      (manifest: Manifest) => (manifest.datasets[0]!.rows = 6),
      '7 rows, the manifest says 6',
    ],
  ])('do not hold where the manifest says %s', async (_, change, detail) => {
    const { path, manifest } = await exported()
    change(manifest)
    expect((await verifyTotals(path, manifest, new Set())).map(problem => problem.detail)).toEqual([
      detail,
      detail,
      detail,
      detail,
    ])
  })

  it('are not asked of files that are wrong already', async () => {
    const { path, manifest } = await exported()
    manifest.datasets[0]!.rows = 6
    const wrong = manifest.files.slice(0, 3).map(file => join(path, '..', file.path))
    expect(await verifyTotals(path, manifest, new Set(wrong))).toHaveLength(1)
  })
})
