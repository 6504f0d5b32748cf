import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseString } from 'fast-csv'
import { describe, expect, it } from 'vitest'
import { businessDays } from '../../../calendar/business-day.ts'
import { DAY_MS } from '../../../calendar/days.ts'
import type { ExportRequest } from '../../../exports/export-files.ts'
import type { ExportResult } from '../../../exports/request.ts'
import { parseManifest } from '../../../exports/revisions/manifest.ts'
import { verifyManifest } from '../../../exports/revisions/verify.ts'
import { exportHere, filesIn, freshFolder, queryParquet } from '../order.ts'
import { bookDatabase, CLOCK, DAYS, orderOfDay, store } from './book-database.ts'
import { T1, T2, T3, TIMES, wireOf } from './worked-example.ts'

type Row = Record<string, string>

function readCsv(result: ExportResult, dataset: string): Promise<Row[]> {
  const path = result.files.find(file => file.dataset === dataset && file.format === 'csv')!.path
  return new Promise((resolve, reject) => {
    const rows: Row[] = []
    parseString<Row, Row>(readFileSync(path, 'utf8').replace('\uFEFF', ''), { headers: true })
      .on('error', reject)
      .on('data', row => rows.push(row))
      .on('end', () => resolve(rows))
  })
}

const pick = (rows: readonly Row[], ...names: string[]): string[] =>
  rows.map(row => names.map(name => row[name]).join(' '))

const CATALOG = [
  {
    id: 'P-FLW',
    sku: 'FLW35',
    name: 'Flower 3.5g',
    byGram: false,
    category: { name: 'Flower', cannabis: true },
  },
  {
    id: 'P-GUM',
    sku: 'GUM10',
    name: '=Gummies',
    byGram: false,
    category: { name: 'Edible', cannabis: true },
  },
]
const LOTS = [
  { id: 'B-FLW', costPerUnit: 14, modified: 1 },
  { id: 'B-GUM', costPerUnit: 8, modified: 1 },
]

async function exampleDay(): Promise<{
  folder: string
  database: Awaited<ReturnType<typeof bookDatabase>>
}> {
  const folder = freshFolder()
  const database = await bookDatabase(folder)
  store(database, 'transactions', [T1, T2, T3])
  store(database, 'products', CATALOG)
  store(database, 'batches', LOTS)
  return { folder, database }
}

describe('the books of a business day', () => {
  it('hold the worked example, in every format', async () => {
    const { folder } = await exampleDay()
    const result = await exportHere(orderOfDay(folder))
    expect(
      pick(
        await readCsv(result, 'transactions'),
        'id',
        'trans_type',
        'business_date',
        'retail_value',
        'post_tax_total',
        'total_due',
        'cogs',
      ),
    ).toEqual([
      'T1 sale 2026-03-08 75.00 24.47 87.50 30.00',
      'T2 sale 2026-03-08 20.00 5.30 20.30 8.00',
      'T3 refund 2026-03-08 -20.00 -6.12 -21.87 -8.00',
    ])
    expect(
      pick(
        await readCsv(result, 'transaction_items'),
        'transaction_id',
        'line_no',
        'sku',
        'net',
        'cogs',
        'cost_source',
      ),
    ).toEqual([
      'T1 1 FLW35 31.50 14.00 batch',
      'T1 2 GUM10 31.50 16.00 batch',
      'T2 1 GUM10 20.00 8.00 batch',
      'T3 1 GUM10 -15.75 -8.00 batch',
    ])
    expect((await readCsv(result, 'transaction_items'))[1]!['product_name']).toBe("'=Gummies")
    expect(
      pick(
        await readCsv(result, 'payments'),
        'transaction_id',
        'payment_no',
        'tender',
        'direction',
        'amount_applied',
        'tendered',
        'change_or_cash_back',
        'tip',
      ),
    ).toEqual([
      'T1 1 cash in 87.50 100.00 12.50 0.00',
      'T2 1 debit in 15.30 17.30 0.00 2.00',
      'T2 2 cash in 5.00 5.00 0.00 0.00',
      'T3 1 cash out -21.87 -21.87 0.00 0.00',
    ])
    expect(pick(await readCsv(result, 'item_lots'), 'transaction_id', 'batch_id', 'qty')).toEqual([
      'T1 B-FLW 1',
      'T1 B-GUM 2',
      'T2 B-GUM 1',
      'T3 B-GUM -1',
    ])
    expect((await readCsv(result, 'transaction_payments')).length).toBe(4)
    const parquet = (dataset: string): string =>
      result.files.find(file => file.dataset === dataset && file.format === 'parquet')!.path
    expect(
      await queryParquet(
        `SELECT sum(amount)::VARCHAR, typeof(any_value(amount)), typeof(any_value(business_date)) FROM read_parquet('${parquet('taxes')}')`,
      ),
    ).toEqual([['23.6500', 'DECIMAL(18,4)', 'DATE']])
    const manifest = parseManifest(readFileSync(result.manifest, 'utf8'))!
    expect(manifest.datasets[0]).toMatchObject({
      dataset: 'transactions',
      rowsOf: 'business_day',
      rows: 3,
      sums: { total_due: '85.93', retail_value: '75.00', tip: '2.00' },
    })
    expect(manifest.books).toEqual({
      ...CLOCK,
      start: '2026-03-08T10:00:00.000Z',
      end: '2026-03-09T09:00:00.000Z',
      editsKnownUntil: '2026-04-17T11:00:00.000Z',
    })
    expect(verifyManifest(result.manifest).problems).toEqual([])
  })

  it('give the same bytes again, and nothing new', async () => {
    const { folder } = await exampleDay()
    const first = await exportHere(orderOfDay(folder))
    expect(await exportHere(orderOfDay(folder))).toEqual({ ...first, published: false })
    rmSync(join(folder, 'out'), { recursive: true })
    expect((await exportHere(orderOfDay(folder))).files.map(file => file.sha256)).toEqual(
      first.files.map(file => file.sha256),
    )
  })

  it('keep what is not booked, with its reason and nothing in the columns of money', async () => {
    const { folder, database } = await exampleDay()
    const odd = [
      { ...T1, id: 'V', status: 'Void' },
      { ...T1, id: 'D', deleted: true },
      { ...T1, id: 'H', status: 'Hold' },
      wireOf('R', { transType: 'Reconciliation', cart: null }),
      { ...T1, id: 'W', transType: 'Wormhole' },
    ]
    store(database, 'transactions', odd)
    const raw = await exportHere(orderOfDay(folder, { datasets: ['raw_transactions'] }))
    expect(
      pick(
        (await readCsv(raw, 'raw_transactions')).filter(row => !row['id']!.startsWith('T')),
        'id',
        'excluded_reason',
        'total_due',
        'cart_total',
      ),
    ).toEqual([
      'D deleted 0.00 87.5',
      'H not_completed 0.00 87.5',
      'R reconciliation 0.00 0',
      'V void 0.00 87.5',
      'W unknown_type 0.00 87.5',
    ])
    const result = await exportHere(orderOfDay(folder))
    expect(Object.keys((await readCsv(result, 'transactions'))[0]!)).not.toContain('cart_total')
    expect((await readCsv(result, 'transaction_items')).length).toBe(12)
    for (const dataset of ['payments', 'item_lots', 'taxes'])
      expect(
        (await readCsv(result, dataset)).every(row => row['transaction_id']!.startsWith('T')),
      ).toBe(true)
    expect(
      parseManifest(readFileSync(result.manifest, 'utf8'))!.datasets[0]!.sums['total_due'],
    ).toBe('85.93')
  })

  it('take each transaction on one day: its end, else when it was processed, changed or made; edited ones where they ended', async () => {
    const folder = freshFolder()
    const database = await bookDatabase(folder)
    const { startMs, endMs } = businessDays(DAYS, CLOCK)
    const at = (id: string, times: object): unknown =>
      wireOf(id, {
        completedTime: null,
        processedTime: null,
        created: startMs - DAY_MS,
        ...times,
      })
    store(database, 'transactions', [
      at('first', { completedTime: startMs }),
      at('last', { completedTime: endMs - 1 }),
      at('before', { completedTime: startMs - 1, modified: startMs }),
      at('after', { completedTime: endMs, modified: startMs }),
      at('edited', { completedTime: startMs, modified: endMs + 40 * DAY_MS }),
      at('processed', { processedTime: startMs, modified: endMs }),
      at('never ended', { completedTime: 0, modified: startMs, status: 'Hold' }),
      at('in the future', { completedTime: endMs - 5, modified: startMs }),
    ])
    const result = await exportHere(
      orderOfDay(folder, { formats: ['csv'], datasets: ['transactions'] }),
    )
    expect(pick(await readCsv(result, 'transactions'), 'id')).toEqual([
      'edited',
      'first',
      'in the future',
      'last',
      'never ended',
      'processed',
    ])
  })

  it('write files without rows for a day without sales', async () => {
    const folder = freshFolder()
    await bookDatabase(folder)
    const result = await exportHere(orderOfDay(folder, { formats: ['csv'] }))
    expect(result.files.map(file => [file.dataset, file.rows])).toEqual(
      [
        'transactions',
        'transaction_items',
        'item_lots',
        'payments',
        'taxes',
        'transaction_payments',
      ].map(name => [name, 0]),
    )
    expect(readFileSync(result.files[0]!.path, 'utf8')).toMatch(
      /^\uFEFFstore_id,id,transaction_id,/,
    )
  })

  it('name nobody: the member is a key that only the secret can make', async () => {
    const { folder, database } = await exampleDay()
    store(database, 'transactions', [
      wireOf('M1', { memberId: 'MEMBER-77', member: { firstName: 'Ana' } }),
      wireOf('M2', { memberId: 'MEMBER-77' }),
    ])
    const result = await exportHere(orderOfDay(folder, { formats: ['csv', 'jsonl'] }))
    const keys = (await readCsv(result, 'transactions'))
      .filter(row => row['member_key'] !== '')
      .map(row => row['member_key'])
    expect(keys).toHaveLength(2)
    expect(new Set(keys).size).toBe(1)
    for (const { path } of result.files)
      expect(readFileSync(path, 'utf8')).not.toMatch(/MEMBER-77|Ana/)
    const other = orderOfDay(folder, { formats: ['csv'], out: join(folder, 'other') })
    other.books!.memberSecret = 'another secret'
    expect((await readCsv(await exportHere(other), 'transactions'))[0]!['member_key']).not.toBe(
      keys[0],
    )
  })
})

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
