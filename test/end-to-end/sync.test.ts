import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DAY_MS } from '../../calendar/days.ts'
import { dailyStreams } from '../../connectors/partner/streams/index.ts'
import type { SyncReport } from '../../temporal/run-sync.ts'
import { askedOf } from '../helpers/asked.ts'
import { control, CORE, RANGE, startProject } from '../helpers/project.ts'

let started: Awaited<ReturnType<typeof startProject>>
beforeAll(async () => {
  started = await startProject()
})
afterAll(() => started.close())

const truthOf = async (store: string, stream: string): Promise<unknown[]> =>
  (
    (await control(started.sandbox, 'GET', `records?store=${store}&stream=${stream}`)) as {
      id: string
      modified: number
    }[]
  )
    .map(({ id, modified }) => [id, modified] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))

describe('a range of two stores', () => {
  let first: SyncReport

  test('is made proven, and what the tables hold is what the API has', async () => {
    const outcome = await started.project.run('sync', ...RANGE, '--json')
    expect(outcome.stderr).not.toContain('Error')
    expect(outcome.status).toBe(0)
    first = JSON.parse(outcome.stdout) as SyncReport
    expect(first.stores.map(({ store }) => store)).toEqual(['downtown', 'harbor'])
    for (const { store, streams: done } of first.stores) {
      expect(done.map(({ stream }) => stream)).toEqual(dailyStreams.map(({ name }) => name))
      for (const { stream, windows, records, requests } of done) {
        expect(windows.unproven).toBe(0)
        expect(windows.proven).toBeGreaterThan(0)
        expect(requests).toBeGreaterThanOrEqual(2 * windows.proven)
        expect(records.fetched).toBe(
          records.inserted +
            records.updated +
            records.unchanged +
            records.duplicate +
            records.deadLettered,
        )
        if (CORE.includes(stream))
          expect(
            started.project.query(
              `SELECT id, modified FROM ${stream} WHERE store_id = '${store}' ORDER BY id`,
            ),
          ).toEqual(await truthOf(store, stream))
      }
    }
  })

  test('never asks for more than the API allows, and always with both dates', async () => {
    const { requests } = await askedOf(started.sandbox)
    expect(requests.filter(({ status }) => status !== 200)).toEqual([])
    const dated = requests.filter(({ path }) => /transactions|members|dates/.test(path))
    expect(dated.length).toBeGreaterThan(20)
    for (const { path, query } of dated) {
      const [start, end] = ['startDate', 'endDate'].map(
        name => new URLSearchParams(query).get(name) ?? '',
      )
      const apartMs = start!.includes('/')
        ? Date.parse(`${end} UTC`) - Date.parse(`${start} UTC`)
        : Number(end) - Number(start)
      expect(apartMs, `${path}?${query}`).toBeGreaterThan(0)
      expect(apartMs, `${path}?${query}`).toBeLessThan(7 * DAY_MS)
    }
  })

  test('is not read twice: what is proven and old stays as it is', async () => {
    await control(started.sandbox, 'POST', 'reset')
    const before = started.project.tables()
    const outcome = await started.project.run('sync', 'transactions', 'members', ...RANGE, '--json')
    expect(outcome.status).toBe(0)
    expect((await askedOf(started.sandbox)).counts).toEqual({ '/api/v1/partner/store': 2 })
    expect(started.project.tables()).toEqual(before)
  })

  test('is not asked for by a last day that lies before where a run would go on', async () => {
    const last = '2026-01-10'
    const { status, stdout, stderr } = await started.project.run('sync', '--to', last)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/without --from reads nothing: it would go on with \w+ of \w+ from/)
    expect(stderr).toMatch(new RegExp(`tillage sync --from \\S+ --to ${last}`))
  })

  test('is read again on request, and changes nothing', async () => {
    const before = started.project.tables()
    const outcome = await started.project.run('sync', 'batches', '--again', ...RANGE, '--json')
    const { records } = (JSON.parse(outcome.stdout) as SyncReport).stores[0]!.streams[0]!
    expect(records).toMatchObject({ inserted: 0, updated: 0, deadLettered: 0 })
    expect(records.unchanged).toBeGreaterThan(0)
    expect(started.project.tables()).toEqual(before)
  })

  test('shows an edit and an insert at the next reading', async () => {
    const [id] = started.project.query(
      "SELECT id FROM vendors WHERE store_id = 'downtown' LIMIT 1",
    )[0] as [string]
    await control(started.sandbox, 'POST', 'records', {
      store: 'downtown',
      stream: 'vendors',
      op: 'edit',
      id,
      patch: { name: 'Renamed Farms' },
    })
    const outcome = await started.project.run(
      'sync',
      'vendors',
      '--store',
      'downtown',
      ...RANGE,
      '--json',
    )
    expect((JSON.parse(outcome.stdout) as SyncReport).stores[0]!.streams[0]!.records.updated).toBe(
      1,
    )
    expect(started.project.query(`SELECT name FROM vendors WHERE id = '${id}'`)).toEqual([
      ['Renamed Farms'],
    ])
  })

  test('is covered in parts with the rows of each, also where a later window has cut them', async () => {
    const partsOf = async (...days: string[]) => {
      const { stdout } = await started.project.run('coverage', 'transactions', ...days, '--json')
      const { stores } = JSON.parse(stdout) as {
        stores: { store: string; windows: { start: string; end: string }[] }[]
      }
      return stores.flatMap(({ store, windows }) =>
        windows.map(({ start, end }) => [store, Date.parse(start), Date.parse(end)] as const),
      )
    }
    const rowsInside = ([store, startMs, endMs]: readonly [string, number, number]): unknown =>
      started.project
        .query(
          `SELECT count(*) FROM transactions WHERE store_id = '${store}' AND deleted_at IS NULL
           AND modified >= ${startMs} AND modified < ${endMs}`,
        )
        .flat()[0]
    const rowsShown = async (...days: string[]): Promise<number[]> => {
      const { stdout } = await started.project.run('coverage', 'transactions', ...days)
      return [...stdout.matchAll(/ (?:proven|stale) +(\d+) /g)].map(([, rows]) => Number(rows))
    }
    const before = await rowsShown(...RANGE)
    for (const days of [RANGE, ['--from', '2026-03-06', '--to', '2026-03-08']]) {
      const truth = (await partsOf(...days)).map(rowsInside)
      expect(await rowsShown(...days)).toEqual(truth)
      expect(truth.every(rows => Number(rows) > 0)).toBe(true)
    }
    const days = ['--from', '2026-03-05', '--to', '2026-03-07']
    await started.project.run('sync', 'transactions', '--again', ...days)
    const after = await rowsShown(...RANGE)
    expect(after.length).toBeGreaterThan(before.length)
    const sum = (rows: readonly number[]): number => rows.reduce((all, one) => all + one, 0)
    expect(sum(after)).toBe(sum(before))
  })

  test('is covered, has a status, and can be exported; a range beyond it cannot', async () => {
    const coverage = await started.project.run('coverage', 'transactions', ...RANGE, '--json')
    expect(coverage.status).toBe(0)
    const { stores } = JSON.parse(coverage.stdout) as {
      stores: { store: string; windows: { start: string; end: string; status: string }[] }[]
    }
    for (const { windows } of stores)
      windows.slice(1).forEach((window, index) => expect(window.start).toBe(windows[index]!.end))
    const edgesOf = async (...days: string[]): Promise<string[]> => {
      const { stdout } = await started.project.run(
        'coverage',
        'transactions',
        '--store',
        stores[0]!.store,
        ...days,
        '--json',
      )
      const { windows } = (JSON.parse(stdout) as { stores: typeof stores }).stores[0]!
      return [windows[0]!.start, windows.at(-1)!.end]
    }
    const [whole, since, until] = [
      await edgesOf(),
      await edgesOf('--from', '2026-03-07'),
      await edgesOf('--to', '2026-03-07'),
    ]
    expect(since).toEqual([until[1], whole[1]])
    expect(until).toEqual([whole[0], since[0]])
    expect((await started.project.run('status')).status).toBe(0)

    const days = ['--from', '2026-03-07', '--to', '2026-03-09']
    const exported = await started.project.run(
      'export',
      'transactions',
      'transaction_items',
      ...days,
      '--format',
      'csv,parquet,jsonl',
      '--json',
    )
    expect(exported.status).toBe(0)
    const { files, manifest } = JSON.parse(exported.stdout) as {
      files: { path: string; format: string; rows: number; sha256: string }[]
      manifest: string
    }
    expect(files).toHaveLength(12)
    expect(files.every(({ rows }) => rows > 0)).toBe(true)
    expect(manifest).toContain('manifest_downtown_2026-03-07_2026-03-09_r0.json')
    const again = await started.project.run(
      'export',
      'transactions',
      'transaction_items',
      ...days,
      '--format',
      'csv,parquet,jsonl',
      '--json',
    )
    expect(again.stdout).toBe(exported.stdout)

    const beyond = await started.project.run(
      'export',
      'transactions',
      '--from',
      '2026-02-01',
      '--to',
      '2026-03-09',
      '--json',
    )
    expect(beyond.status).toBe(3)
    expect(beyond.stderr).toContain('NOT_PROVEN')
    expect(beyond.stderr).toMatch(/never read from 2026-02-01 00:00 to \S+ 00:00 \(America\/\w+\)/)
    expect(beyond.stderr).toContain(
      'tillage sync transactions --store downtown --from 2026-02-01 --to 2026-03-09',
    )
  })
})

test('hundreds of windows continue as new, and each is proven once', async () => {
  const { project, close } = await startProject({ stores: 1 })
  try {
    const outcome = await project.run(
      'sync',
      'members',
      '--from',
      '2022-10-01',
      '--to',
      '2026-03-15',
      '--json',
    )
    expect(outcome.status).toBe(0)
    const { windows } = (JSON.parse(outcome.stdout) as SyncReport).stores[0]!.streams[0]!
    expect(windows.unproven).toBe(0)
    expect(windows.proven).toBeGreaterThan(200)
    expect(project.query('SELECT count(*) FROM windows')).toEqual([[windows.proven]])
    expect(project.query('SELECT count(*) FROM readings')).toEqual([[windows.proven]])
  } finally {
    await close()
  }
})
