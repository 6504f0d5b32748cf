import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { businessDays } from '../../../calendar/business-day.ts'
import { DAY_MS } from '../../../calendar/days.ts'
import { parseManifest } from '../../../exports/revisions/manifest.ts'
import { verifyManifest } from '../../../exports/revisions/verify.ts'
import { exportHere, freshFolder, queryParquet } from '../order.ts'
import { bookDatabase, CLOCK, DAYS, orderOfDay, store } from './book-database.ts'
import { readCsv, pick, exampleDay } from './example-day.ts'
import { T1, wireOf } from './worked-example.ts'

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

  it('count each transaction on one day: that of its end, else of its processing, change or creation', async () => {
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
