import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { exportFiles } from '../../../exports/export-files.ts'
import type { ExportRequest } from '../../../exports/export-files.ts'
import { exportHere, filesIn, queryParquet } from '../order.ts'
import { day } from './small-day.ts'

describe('an export that cannot be made', () => {
  const refused = async (
    changes: (order: ExportRequest) => ExportRequest,
    rows: (database: ReturnType<typeof day>['database']) => void = () => {},
    run = exportFiles,
  ) => {
    const { order, database } = day()
    rows(database)
    database.close()
    const changed = changes(order)
    const error: unknown = await run(changed).then(
      () => 'no error',
      (reason: unknown) => reason,
    )
    return { error, left: existsSync(changed.out) ? filesIn(changed.out) : [] }
  }

  it('is not one with a decimal of 40 digits, which stands in every format with all of them', async () => {
    const { order, database } = day(1)
    const long = `1${'0'.repeat(37)}.25`
    database.exec(`UPDATE _sales SET total = '${long}'`)
    const { files } = await exportHere({ ...order, datasets: ['sales'] })
    for (const { path, format } of files)
      if (format === 'parquet')
        expect(await queryParquet(`SELECT total, exact_decimals FROM '${path}'`)).toEqual([
          [null, JSON.stringify({ total: long })],
        ])
      else expect(readFileSync(path, 'utf8')).toContain(long)
  })

  it('refuses values that their kind does not allow, in any format', async () => {
    for (const [column, value] of [
      ['total', "'12,50'"],
      ['deleted', '2'],
      ['counter', "'many'"],
      ['modified', '1772964000000.5'],
      ['tags', "'[1,'"],
    ] as const) {
      const { error, left } = await refused(
        order => ({ ...order, formats: ['csv'] }),
        database => database.exec(`UPDATE _sales SET ${column} = ${value} WHERE id = 's0000002'`),
        exportHere,
      )
      expect(error, column).toMatchObject({
        code: 'DATABASE_BROKEN',
        message: expect.stringContaining(`sales.${column}`) as string,
      })
      expect(left).toEqual([])
    }
  })

  it('stops when it is told to, and leaves nothing', async () => {
    for (const phase of ['writing', 'never'] as const) {
      const controller = new AbortController()
      const { error, left } = await refused(order => ({
        ...order,
        signal: controller.signal,
        progress: progress => progress.phase === phase && controller.abort(),
      }))
      if (phase === 'never') expect(error).toBe('no error')
      else expect([(error as { code: string }).code, left]).toEqual(['INTERRUPTED', []])
    }
  })

  it('explains a wrong order before anything is started', async () => {
    const { order } = day()
    const wrong: Partial<ExportRequest>[] = [
      { datasets: ['sails'] },
      { datasets: [] },
      { formats: [] },
      { days: { from: '2026-03-09', to: '2026-03-09' } },
      { days: { from: '2026-3-8', to: '2026-03-09' } },
      { store: '../up' },
      { range: { startMs: 5, endMs: 5 } },
    ]
    for (const changes of wrong)
      await expect(exportFiles({ ...order, ...changes })).rejects.toMatchObject({ code: 'USAGE' })
    expect(existsSync(order.out)).toBe(false)
  })

  it('says so when the database is not there', async () => {
    const { error, left } = await refused(order => ({
      ...order,
      database: `${order.database}.none`,
    }))
    expect(error).toMatchObject({ code: 'DATABASE_BROKEN' })
    expect(left).toEqual([])
  })

  it('says so when the folder cannot be written to', async () => {
    const { error } = await refused(order => {
      writeFileSync(order.out, 'a file, not a folder')
      return { ...order, out: join(order.out, 'below') }
    })
    expect(error).toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining('cannot be written') as string,
    })
  })

  it.skipIf(process.getuid?.() === 0)('says so when it has no permission', async () => {
    const { error } = await refused(order => {
      mkdirSync(order.out)
      chmodSync(order.out, 0o555)
      return order
    })
    expect(error).toMatchObject({ code: 'USAGE' })
  })
})
