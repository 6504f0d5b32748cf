import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { exportFiles } from '../../../exports/export-files.ts'
import type { ExportRequest } from '../../../exports/export-files.ts'
import { decideRevision } from '../../../exports/revisions/decide-revision.ts'
import type { Draft } from '../../../exports/revisions/decide-revision.ts'
import { parseManifest, spanOf } from '../../../exports/revisions/manifest.ts'
import type { ManifestFile, StoredManifest } from '../../../exports/revisions/manifest.ts'
import { verifyManifest } from '../../../exports/revisions/verify.ts'
import { createDatabase, insertRecords, sales } from '../export-database.ts'
import { exportHere, filesIn, pathIn, freshFolder, salesOf } from '../order.ts'
import { day } from './small-day.ts'

const manifestOf = (path: string) => {
  const manifest = parseManifest(readFileSync(path, 'utf8'))
  if (manifest === undefined) throw new Error('not a manifest')
  return manifest
}

const FIRST = [
  'manifest_downtown_2026-03-08_r0.json',
  ...['sale_items', 'sales'].flatMap(name =>
    ['csv', 'jsonl', 'parquet'].map(format => `${name}_downtown_2026-03-08_r0.${format}`),
  ),
]

describe('a revision', () => {
  it('is named after dataset, store, day and number, and listed in its manifest', async () => {
    const { order } = day()
    const result = await exportHere(order)
    expect(filesIn(order.out)).toEqual(FIRST)
    expect(result).toMatchObject({
      revision: 0,
      published: true,
      manifest: pathIn(order.out, 'manifest_downtown_2026-03-08_r0.json'),
    })
    const manifest = manifestOf(result.manifest)
    expect(manifest).toMatchObject({
      tool: 'tillage 0.0.0',
      store: 'downtown',
      days: { from: '2026-03-08', to: '2026-03-09' },
      range: { start: '2026-03-08T10:00:00.000Z', end: '2026-03-09T10:00:00.000Z' },
      revision: 0,
      people: false,
      proof: order.proof,
      previous: null,
    })
    expect(manifest.files.length).toBe(6)
    expect(manifest.datasets[0]).toMatchObject({
      dataset: 'sales',
      rows: 20,
      sums: { total: '250.00', tax: '191.40' },
      order: ['store_id', 'id'],
      masked: ['buyer'],
    })
    expect(manifest.datasets[0]?.columns[5]).toEqual({
      name: 'total',
      kind: 'decimal',
      type: 'DECIMAL(18,6)',
    })
  })

  it('of a longer range carries both days in its names, the second one exclusive', async () => {
    const { order } = day()
    await exportHere({
      ...order,
      days: { from: '2026-03-01', to: '2026-04-01' },
      datasets: ['sales'],
      formats: ['csv'],
    })
    expect(filesIn(order.out)).toEqual([
      'manifest_downtown_2026-03-01_2026-04-01_r0.json',
      'sales_downtown_2026-03-01_2026-04-01_r0.csv',
    ])
    expect(spanOf({ from: '2026-02-28', to: '2026-03-01' })).toBe('2026-02-28')
  })

  it('stays the same for the same rows: nothing is rewritten, not even for another proof', async () => {
    const { order, database } = day()
    await exportHere(order)
    const times = filesIn(order.out).map(name => statSync(pathIn(order.out, name)).mtimeMs)
    database.exec('VACUUM')
    const again = await exportHere({ ...order, proof: { other: true } })
    expect(again).toMatchObject({ revision: 0, published: false })
    expect(again.files.length).toBe(6)
    expect(filesIn(order.out)).toEqual(FIRST)
    expect(filesIn(order.out).map(name => statSync(pathIn(order.out, name)).mtimeMs)).toEqual(times)
  })

  it('has the same bytes when the same rows came in another order', async () => {
    const { order, folder } = day(5000)
    const shuffled = createDatabase(join(folder, 'shuffled.db'))
    insertRecords(shuffled, sales, 'downtown', salesOf(5000).toReversed())
    shuffled.exec('VACUUM')
    const one = await exportHere(order)
    const other = await exportHere({
      ...order,
      database: join(folder, 'shuffled.db'),
      out: join(folder, 'other'),
    })
    expect(other.files.map(file => file.sha256)).toEqual(one.files.map(file => file.sha256))
    expect(readFileSync(other.manifest)).toEqual(readFileSync(one.manifest))
  })

  it('is made when a row changes: new files beside the old ones; unchanged files keep their names', async () => {
    const { order, database } = day()
    const first = await exportHere(order)
    const before = filesIn(order.out).map(name => readFileSync(pathIn(order.out, name), 'utf8'))
    database.exec("UPDATE _sales SET total = '12.51' WHERE id = 's0000003'")
    const second = await exportHere(order)
    expect(second).toMatchObject({ revision: 1, published: true })
    expect(filesIn(order.out)).toEqual(
      [
        ...FIRST,
        'manifest_downtown_2026-03-08_r1.json',
        ...['csv', 'jsonl', 'parquet'].map(format => `sales_downtown_2026-03-08_r1.${format}`),
      ].toSorted(),
    )
    expect(FIRST.map(name => readFileSync(pathIn(order.out, name), 'utf8'))).toEqual(before)
    expect(second.files.map(file => file.path.replace(/.*_(r\d)\..*/, '$1'))).toEqual([
      'r1',
      'r1',
      'r1',
      'r0',
      'r0',
      'r0',
    ])
    expect(manifestOf(second.manifest).previous?.path).toBe('manifest_downtown_2026-03-08_r0.json')
    for (const manifest of [first.manifest, second.manifest])
      expect(verifyManifest(manifest).problems).toEqual([])
    expect(await exportHere(order)).toMatchObject({ revision: 1, published: false })
  })

  it('adds a format or stream without touching existing files; asking for less changes nothing', async () => {
    const { order } = day()
    const csv = { ...order, datasets: ['sales'], formats: ['csv'] } satisfies ExportRequest
    expect(await exportHere(csv)).toMatchObject({ revision: 0 })
    expect(await exportHere({ ...csv, formats: ['jsonl'] })).toMatchObject({
      revision: 0,
      files: [{ format: 'jsonl' }],
    })
    const sellersToo = await exportHere({ ...csv, datasets: ['sellers'], proof: { sellers: [] } })
    expect(sellersToo).toMatchObject({ revision: 0, files: [{ dataset: 'sellers' }] })
    expect(manifestOf(sellersToo.manifest).files.map(file => file.path)).toEqual([
      'sales_downtown_2026-03-08_r0.csv',
      'sales_downtown_2026-03-08_r0.jsonl',
      'sellers_downtown_2026-03-08_r0.csv',
    ])
    for (const formats of [['csv'], ['jsonl']] as const)
      expect(await exportHere({ ...csv, formats })).toMatchObject({ revision: 0, published: false })
  })

  it('never lets the formats of a stream disagree: a changed row renews all that were exported before', async () => {
    const { order, database } = day()
    await exportHere({ ...order, datasets: ['sales'], formats: ['csv', 'jsonl'] })
    database.exec("UPDATE _sales SET total = '0.01'")
    const { manifest, files } = await exportHere({
      ...order,
      datasets: ['sales'],
      formats: ['csv'],
    })
    expect(files.length).toBe(1)
    expect(manifestOf(manifest).files.map(file => file.path)).toEqual([
      'sales_downtown_2026-03-08_r1.csv',
      'sales_downtown_2026-03-08_r1.jsonl',
    ])
  })

  it('restores a published file that went missing, as it was', async () => {
    const { order } = day()
    const { files } = await exportHere(order)
    const path = files[1]?.path ?? ''
    const bytes = readFileSync(path)
    rmSync(path)
    expect(await exportHere(order)).toMatchObject({ revision: 0, published: false })
    expect(readFileSync(path)).toEqual(bytes)
  })

  it('survives two exports of the same range at once', async () => {
    const { order } = day(500)
    const results = await Promise.all([
      exportFiles(order),
      exportFiles(order),
      exportFiles({ ...order, datasets: ['sellers'] }),
    ])
    expect(results.map(result => result.revision)).toEqual([0, 0, 0])
    expect(results.filter(result => result.published).length).toBe(2)
    expect(
      verifyManifest(pathIn(order.out, 'manifest_downtown_2026-03-08_r0-2.json')),
    ).toMatchObject({
      filesChecked: 9,
      problems: [],
    })
    expect(filesIn(order.out).filter(name => name.startsWith('.'))).toEqual([])
  })

  it('goes on in another thread after a mistake in the program has ended one', async () => {
    const { order } = day()
    expect(await exportFiles(order)).toMatchObject({ revision: 0, published: true })
    const broken = exportFiles({ ...order, localFiles: 7 as never })
    await expect(broken).rejects.toThrow('Received type number (7)')
    expect(await exportFiles(order)).toMatchObject({ revision: 0, published: false })
  })

  it('gives two exports into different folders numbers of one order, whoever reads first', async () => {
    const { order, folder, database } = day()
    let second: ReturnType<typeof exportHere> | undefined
    const changeAndExportAgain = (): void => {
      database.exec("UPDATE _sales SET total = '13.00' WHERE id = 's0000003'")
      second = exportHere({ ...order, out: join(folder, 'other') })
    }
    const first = await exportHere({
      ...order,
      progress: ({ phase }) => {
        if (phase === 'writing' && second === undefined) changeAndExportAgain()
      },
    })
    expect([first.revision, (await second)?.revision]).toEqual([0, 1])
    // The newest state is that of the newest rows: nothing is given out again.
    expect(await exportHere(order)).toMatchObject({ revision: 1, published: true })
    expect(await exportHere(order)).toMatchObject({ revision: 1, published: false })
    // Neither waits for the other where both folders are one.
    const beside = await exportHere({ ...order, out: folder })
    expect(beside).toMatchObject({ revision: 1, published: true })
  })

  it('does not mix files with people and files without in one folder', async () => {
    const { order } = day()
    await exportHere(order)
    await expect(exportHere({ ...order, includePeople: true })).rejects.toMatchObject({
      code: 'USAGE',
      remedy: expect.stringContaining('--out') as string,
    })
    expect(filesIn(order.out)).toEqual(FIRST)
  })
})

describe('decideRevision', () => {
  const hash = (letter: string): string => letter.repeat(64)
  const header = {
    tool: 't',
    writer: 'w2',
    store: 's',
    days: { from: '2026-03-08', to: '2026-03-09' },
    range: { start: '', end: '' },
    people: false,
    proof: null,
  }
  const published: ManifestFile = {
    path: 'sales_s_2026-03-08_r0.parquet',
    dataset: 'sales',
    format: 'parquet',
    rows: 1,
    bytes: 1,
    sha256: hash('a'),
    revision: 0,
    writer: 'w1',
    content: hash('c'),
  }
  const newest: StoredManifest = {
    folder: 'f',
    name: 'm0',
    sha256: hash('0'),
    manifest: {
      ...header,
      manifest: 2,
      revision: 0,
      addition: 1,
      states: [{ stream: 'sales', revision: 0, state: 's' }],
      previous: null,
      datasets: [],
      files: [published],
    },
  }
  const draft = (sha256: string, content: string, writer: string): Draft => ({
    header,
    states: [{ stream: 'sales', revision: 1, state: 't' }],
    renewed: ['sales'],
    datasets: [],
    files: [
      {
        revision: 1,
        preparedPath: 'p',
        dataset: 'sales',
        format: 'parquet',
        rows: 1,
        bytes: 1,
        sha256,
        content,
        writer,
      },
    ],
  })

  const standing = { folder: 'f', newest, present: () => true, given: new Map<string, string>() }

  it('keeps the published Parquet when only the writer changed, and revises when the rows did', () => {
    expect(decideRevision(draft(hash('b'), hash('c'), 'w2'), standing)).toEqual({
      folder: 'f',
      manifest: undefined,
      moves: [],
    })
    expect(decideRevision(draft(hash('b'), hash('d'), 'w2'), standing).manifest?.revision).toBe(1)
  })
})

describe('verifyManifest', () => {
  it('finds a missing, a shortened and a changed file, and a broken chain', async () => {
    const { order, database } = day()
    const first = await exportHere(order)
    database.exec("UPDATE _sales SET total = '1.00'")
    const second = await exportHere(order)
    expect(verifyManifest(second.manifest)).toMatchObject({
      filesChecked: 6,
      revision: 1,
      store: 'downtown',
      chain: [first.manifest],
      problems: [],
    })
    const [parquet, csv, jsonl] = second.files.map(file => file.path)
    if (parquet === undefined || csv === undefined || jsonl === undefined)
      throw new Error('three files')
    rmSync(parquet)
    truncateSync(csv, 10)
    writeFileSync(jsonl, readFileSync(jsonl, 'utf8').replace('"1.00"', '"7.00"'))
    writeFileSync(
      first.manifest,
      readFileSync(first.manifest, 'utf8').replace('"rows": 20', '"rows": 21'),
    )
    expect(
      verifyManifest(second.manifest).problems.map(({ path, problem }) => [path, problem]),
    ).toEqual([
      [parquet, 'missing'],
      [csv, 'another size'],
      [jsonl, 'another content'],
      [first.manifest, 'another content'],
    ])
  })

  it('finds a manifest that was changed after another one had followed it', async () => {
    const { order, database } = day()
    const first = await exportHere(order)
    const whole = readFileSync(first.manifest, 'utf8')
    const { files, ...rest } = JSON.parse(whole) as { files: unknown[] }
    const shortened = JSON.stringify({ ...rest, files: files.slice(1) })
    database.exec("UPDATE _sales SET total = '1.00'")
    await exportHere(order)
    expect(verifyManifest(first.manifest).problems).toEqual([])
    writeFileSync(first.manifest, shortened)
    expect(verifyManifest(first.manifest).problems).toMatchObject([
      { path: first.manifest, problem: 'another content' },
    ])
  })

  it('reports a file that is no manifest, and one that points out of its folder', () => {
    const folder = freshFolder()
    expect(verifyManifest(join(folder, 'none.json')).problems).toMatchObject([
      { problem: 'missing' },
    ])
    writeFileSync(join(folder, 'bad.json'), '{"files":[{"path":"../secret"}]}')
    expect(verifyManifest(join(folder, 'bad.json')).problems).toMatchObject([
      { problem: 'not a manifest' },
    ])
  })
})
