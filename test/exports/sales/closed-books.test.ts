import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../../calendar/days.ts'
import type { ExportRequest } from '../../../exports/export-files.ts'
import type { ExportResult } from '../../../exports/request.ts'
import { parseManifest } from '../../../exports/revisions/manifest.ts'
import { verifyManifest } from '../../../exports/revisions/verify.ts'
import { exportHere, filesIn } from '../order.ts'
import { orderOfDay, store } from './book-database.ts'
import type { bookDatabase } from './book-database.ts'
import { readCsv, pick, exampleDay } from './example-day.ts'
import { T1, T2, TIMES, wireOf } from './worked-example.ts'

describe('closed books', () => {
  const LATER = TIMES.modified + 40 * DAY_MS
  const changes = async (
    formats: ExportRequest['formats'],
    edit: (database: Awaited<ReturnType<typeof bookDatabase>>) => void,
    closed?: string,
  ): Promise<string[]> => {
    const { folder, database } = await exampleDay()
    const first = await exportHere(orderOfDay(folder, { formats }))
    const frozen = first.files.map(file => readFileSync(file.path))
    edit(database)
    const second = await exportHere(orderOfDay(folder, { formats }, closed))
    expect(second.revision).toBe(1)
    expect(first.files.map(file => readFileSync(file.path))).toEqual(frozen)
    expect(filesIn(join(folder, 'out'))).toContain('restatement_downtown_2026-03-08_r1.csv')
    expect(verifyManifest(second.manifest).problems).toEqual([])
    const rows = await readCsv(second, 'restatement')
    expect(new Set(pick(rows, 'business_date', 'from_rev', 'to_rev', 'detected_at'))).toEqual(
      new Set(['2026-03-08 0 1 2026-04-17T11:00:00.000Z']),
    )
    return pick(rows, 'transaction_id', 'field', 'old', 'new', 'posting').filter(
      line => !line.includes('modified'),
    )
  }

  it.each(['parquet', 'csv', 'jsonl', 'xlsx'] as const)(
    'list an edited payment that came 40 days later, found in %s',
    async format => {
      const edited = {
        ...T1,
        modified: LATER,
        payments: [{ ...(T1['payments'] as object[])[0], paymentOption: 'Debit' }],
      }
      expect(
        await changes([format], database => store(database, 'transactions', [edited])),
      ).toEqual([
        'T1 payments[1].tender cash debit original',
        'T1 payments[1].payment_option Cash Debit original',
      ])
    },
  )

  it('name the tender that changed where no payments were given out', async () => {
    const { folder, database } = await exampleDay()
    const order = orderOfDay(folder, { formats: ['csv'], datasets: ['transactions'] })
    await exportHere(order)
    const [payment] = T1['payments'] as object[]
    const edited = {
      ...T1,
      modified: LATER,
      payments: [{ ...payment, paymentOption: 'Debit' }],
    }
    store(database, 'transactions', [edited])
    const restated = await readCsv(await exportHere(order), 'restatement')
    expect(pick(restated, 'transaction_id', 'field', 'old', 'new')).toEqual([
      expect.stringContaining('T1 modified_at'),
      'T1 payments[1].tender cash debit',
      'T1 payments[1].payment_option Cash Debit',
    ])
  })

  it('list what was edited and no times, found in sheets that show the clocks of the store', async () => {
    const edited = { ...T1, modified: LATER + 7, memo: 'corrected', status: 'Void' }
    const { folder, database } = await exampleDay()
    const order = { formats: ['xlsx'], timeZone: 'America/Los_Angeles' } as const
    await exportHere(orderOfDay(folder, order))
    store(database, 'transactions', [edited])
    const rows = await readCsv(await exportHere(orderOfDay(folder, order)), 'restatement')
    const fields = rows.map(({ field }) => field)
    expect(fields).toContain('status')
    expect(fields.filter(field => /(_at|time)$/.test(field!))).toEqual(['modified_at'])
  })

  it('name a transaction as its own file does, where its id looks like a formula', async () => {
    const { folder, database } = await exampleDay()
    const order = orderOfDay(folder, { formats: ['csv'] })
    store(database, 'transactions', [{ ...T1, id: '=T1' }])
    const first = await exportHere(order)
    const named = pick(await readCsv(first, 'transactions'), 'id')
    store(database, 'transactions', [{ ...T1, id: '=T1', modified: LATER, status: 'Void' }])
    const restated = await readCsv(await exportHere(order), 'restatement')
    expect(named).toContain("'=T1")
    expect(new Set(pick(restated, 'transaction_id'))).toEqual(new Set(["'=T1"]))
  })

  it('list a void with what the books lose, posted today where the period is closed', async () => {
    const lines = await changes(
      ['csv'],
      database => store(database, 'transactions', [{ ...T1, modified: LATER, status: 'Void' }]),
      '2026-03-31',
    )
    expect(lines).toEqual(
      expect.arrayContaining([
        'T1 status Completed Void current',
        'T1 excluded_reason  void current',
        'T1 total_due 87.50 0.00 current',
        'T1 transaction_items[1].net 31.50 0.00 current',
        'T1 payments[1].amount_applied 87.50  current',
      ]),
    )
    expect(lines.some(line => line.startsWith('T2'))).toBe(false)
  })

  it('list a transaction that is gone, one that came late, and a cost that became known', async () => {
    const lines = await changes(['parquet'], database => {
      database.exec("UPDATE rows_transactions SET gone_at = 5 WHERE id = 'T2'")
      store(database, 'transactions', [
        wireOf(
          'T9',
          {},
          {
            items: [{ quantity: 1, cost: 5, quantityLogs: [{ batchId: 'B-GUM', quantity: 1 }] }],
            total: 5,
          },
        ),
      ])
      store(database, 'batches', [{ id: 'B-FLW', costPerUnit: 15, modified: 2 }])
    })
    expect(lines).toEqual(
      expect.arrayContaining([
        'T1 cogs 30.00 31.00 original',
        'T1 transaction_items[1].unit_cost 14.00 15.00 original',
        'T2 total_due 20.30  original',
        'T9 total_due  5.00 original',
      ]),
    )
  })

  it('count on: the third revision lists what changed since the second', async () => {
    const { folder, database } = await exampleDay()
    const run = async (): Promise<ExportResult> =>
      exportHere(orderOfDay(folder, { formats: ['csv'] }))
    await run()
    store(database, 'transactions', [{ ...T1, modified: LATER, status: 'Void' }])
    await run()
    store(database, 'transactions', [{ ...T2, modified: LATER, status: 'Void' }])
    const third = await run()
    expect(
      new Set(pick(await readCsv(third, 'restatement'), 'transaction_id', 'from_rev', 'to_rev')),
    ).toEqual(new Set(['T2 1 2']))
    expect(
      parseManifest(readFileSync(third.manifest, 'utf8'))!
        .files.filter(file => file.dataset === 'restatement')
        .map(file => file.path),
    ).toEqual(['restatement_downtown_2026-03-08_r2.csv'])
  })

  it('count by their own state, whatever moves on beside them, and keep their list of changes', async () => {
    const { folder, database } = await exampleDay()
    const datasets = ['transactions', 'vendors']
    const run = async (): Promise<ExportResult> =>
      exportHere(orderOfDay(folder, { formats: ['csv'], datasets }))
    const rename = (name: string): void => store(database, 'vendors', [{ id: 'V1', name }])
    const lists = ({ manifest }: ExportResult): string[] =>
      parseManifest(readFileSync(manifest, 'utf8'))!
        .files.map(file => file.path)
        .filter(path => path.startsWith('restatement'))
    await run()
    rename('Green Farms')
    expect(await run()).toMatchObject({ revision: 1 })
    rename('Green Farms Inc.')
    expect(await run()).toMatchObject({ revision: 2 })
    store(database, 'transactions', [{ ...T1, modified: LATER, status: 'Void' }])
    const changed = await run()
    expect(
      new Set(pick(await readCsv(changed, 'restatement'), 'transaction_id', 'from_rev', 'to_rev')),
    ).toEqual(new Set(['T1 0 1']))
    rename('Green')
    const list = 'restatement_downtown_2026-03-08_r1.csv'
    const moved = await run()
    expect(moved.manifest).not.toBe(changed.manifest)
    expect(lists(moved)).toEqual([list])
    store(database, 'transactions', [{ ...T2, modified: LATER, status: 'Void' }])
    expect(lists(await run())).toEqual([list.replace('r1', 'r2')])
  })

  it.each(['csv', 'parquet'] as const)(
    'are not compared with a file that is gone: it is named, and what is left of the same rows in another format is used (%s)',
    async gone => {
      const { folder, database } = await exampleDay()
      const first = await exportHere(
        orderOfDay(folder, { formats: ['csv', 'parquet'], datasets: ['transactions'] }),
      )
      const pathOf = (format: string): string =>
        first.files.find(file => file.format === format)!.path
      rmSync(pathOf(gone))
      store(database, 'transactions', [{ ...T1, modified: LATER, status: 'Void' }])
      expect(
        await exportHere(orderOfDay(folder, { formats: [gone], datasets: ['transactions'] })),
      ).toMatchObject({ revision: 1 })
      const alone = orderOfDay(folder, {
        formats: [gone],
        datasets: ['transactions'],
        out: join(folder, 'alone'),
      })
      const [file] = (await exportHere(alone)).files
      rmSync(file!.path)
      store(database, 'transactions', [{ ...T2, modified: LATER, status: 'Void' }])
      await expect(exportHere(alone)).rejects.toMatchObject({
        code: 'EVIDENCE_CHANGED',
        message: expect.stringContaining(`${file!.path} was published and is gone`),
        remedy: expect.stringContaining('backup'),
      })
    },
  )

  it('list nothing for a column that the file that was given out did not have', async () => {
    const { folder, database } = await exampleDay()
    const first = await exportHere(
      orderOfDay(folder, { formats: ['jsonl'], datasets: ['transactions'] }),
    )
    // As a version of the program wrote it that did not know the column.
    const older = readFileSync(first.files[0]!.path, 'utf8').replaceAll(
      /"queue_type":(?:null|"[^"]*"),/g,
      '',
    )
    writeFileSync(first.files[0]!.path, older)
    const manifest = JSON.parse(readFileSync(first.manifest, 'utf8')) as {
      files: { bytes: number }[]
    }
    manifest.files[0]!.bytes = Buffer.byteLength(older)
    writeFileSync(first.manifest, JSON.stringify(manifest))
    store(database, 'transactions', [
      { ...T1, modified: LATER, status: 'Void', queueType: 'WalkIn' },
      { ...T2, queueType: 'WalkIn' },
    ])
    const second = await exportHere(
      orderOfDay(folder, { formats: ['csv'], datasets: ['transactions'] }),
    )
    const lines = pick(await readCsv(second, 'restatement'), 'transaction_id', 'field')
    expect(lines).toContain('T1 status')
    expect(lines.filter(line => line.endsWith('queue_type'))).toEqual([])
  })

  it('list nothing where a dataset or a format is only added', async () => {
    const { folder } = await exampleDay()
    await exportHere(orderOfDay(folder, { formats: ['csv'], datasets: ['transactions'] }))
    expect(await exportHere(orderOfDay(folder))).toMatchObject({ revision: 0 })
    expect(filesIn(join(folder, 'out')).filter(name => name.startsWith('restatement'))).toEqual([])
  })
})
