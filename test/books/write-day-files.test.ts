import { cpSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { DayFilesOrder } from '../../activities/dependencies.ts'
import { DAY_MS } from '../../calendar/days.ts'
import { isComputed } from '../../connectors/copy/plan-tables.ts'
import { bookkeeper, DAY } from '../commands/bookkeeper.ts'
import { T1, T2, T3, TIMES } from '../exports/sales/worked-example.ts'

const LATER = TIMES.modified + 3 * DAY_MS
const BOOKED = `daily_sales_journal_downtown_${DAY}`
const VOID = { ...T1, modified: LATER, status: 'Void' }
const NIGHT = {
  store: 'downtown',
  datasets: ['transactions'],
  formats: ['csv' as const],
  journal: ['generic' as const],
} satisfies Omit<DayFilesOrder, 'day'>

test('a change that was exported by hand is still booked by the next night, and then left alone', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1, T2, T3])
  await keeper.night({ ...NIGHT, day: DAY })
  keeper.sales([VOID])
  expect((await keeper.export(['transactions'])).status).toBe(0)
  const { manifests } = await keeper.night({ ...NIGHT, day: '2026-03-09' })
  expect(manifests.map(path => path.slice(path.indexOf('_2026') + 1))).toEqual([
    '2026-03-09_r0.json',
    '2026-03-08_r1-2.json',
  ])
  expect(keeper.files()).toContain('daily_sales_journal_downtown_2026-03-08_r1.csv')
  expect((await keeper.night({ ...NIGHT, day: '2026-03-10' })).manifests).toHaveLength(1)
})

test('a corrected cost is booked by the next night, and the days that it leaves alone are not read again', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1, T2, T3])
  await keeper.night({ ...NIGHT, day: '2026-03-07' })
  await keeper.night({ ...NIGHT, day: DAY })
  keeper.read('downtown', 'batches', [{ id: 'B-FLW', costPerUnit: 14.5, modified: 2 }])
  const { manifests } = await keeper.night({ ...NIGHT, day: '2026-03-09' })
  expect(manifests.map(path => path.slice(path.indexOf('_2026') + 1))).toEqual([
    '2026-03-09_r0.json',
    '2026-03-08_r1.json',
  ])
  expect(keeper.files()).toContain('daily_sales_journal_downtown_2026-03-08_r1.csv')
  const batches = keeper.database.connection
    .prepare('SELECT DISTINCT batch FROM booked_days')
    .pluck()
  const newest = keeper.database.connection.prepare('SELECT max(batch) FROM readings').pluck()
  expect(batches.all()).toEqual([newest.get()])
  expect((await keeper.night({ ...NIGHT, day: '2026-03-10' })).manifests).toHaveLength(1)
})

test('so is one after the views of the books were emptied, as by a copy into another database', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1, T2, T3])
  await keeper.night({ ...NIGHT, day: DAY })
  const { connection } = keeper.database
  const tables = connection
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB '*books_*'")
    .pluck()
    .all() as string[]
  expect(tables).toEqual(expect.arrayContaining(['books_days', 'books_refreshed']))
  for (const table of tables.filter(isComputed)) connection.exec(`DELETE FROM "${table}"`)
  keeper.read('downtown', 'batches', [{ id: 'B-FLW', costPerUnit: 14.5, modified: 2 }])
  await keeper.night({ ...NIGHT, day: '2026-03-09' })
  expect(keeper.files()).toContain(`${BOOKED}_r1.csv`)
})

test('the next night finds what was committed after the files were made, also in a copied folder', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1, T2, T3])
  await keeper.night({ ...NIGHT, day: DAY })
  keeper.sales([VOID], { readAt: '2026-03-09T01:00:00.000Z' })
  const { exports: out } = keeper.config
  cpSync(out, `${out}-copy`, { recursive: true })
  rmSync(out, { recursive: true })
  renameSync(`${out}-copy`, out)
  expect((await keeper.night({ ...NIGHT, day: '2026-03-09' })).manifests).toHaveLength(2)
  expect(keeper.files()).toContain('daily_sales_journal_downtown_2026-03-08_r1.csv')
})

test('a day that no longer ties out, or has a damaged manifest, is named each night and delays no other day', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1, T2, T3])
  await keeper.night({ ...NIGHT, day: '2026-03-07' })
  await keeper.night({ ...NIGHT, day: DAY })
  writeFileSync(
    join(keeper.config.exports, 'downtown', '2026-03-07', 'manifest_downtown_2026-03-07_r0.json'),
    'damaged',
  )
  keeper.sales([{ ...T1, modified: LATER, payments: [] }])
  const told = {
    manifests: [expect.stringContaining('2026-03-09_r0')],
    notRevised: [
      { day: '2026-03-07', code: 'EVIDENCE_CHANGED' },
      { day: DAY, code: 'JOURNAL_HELD' },
    ],
  }
  expect(await keeper.night({ ...NIGHT, day: '2026-03-09' })).toMatchObject(told)
  expect(await keeper.night({ ...NIGHT, day: '2026-03-09' })).toMatchObject(told)
})

test('a day that was held back gets its journal in the night after it was fixed', async () => {
  const keeper = await bookkeeper()
  keeper.sales([{ ...T1, payments: [] }, T2, T3])
  await expect(keeper.night({ ...NIGHT, day: DAY })).rejects.toMatchObject({
    code: 'JOURNAL_HELD',
    // What and how many, without anything of a record: this text goes into histories.
    message: `downtown has no journal for ${DAY}, because it does not tie out (TIE_OUT 1); look at it: tillage journal --store downtown --date ${DAY} --dry-run`,
  })
  keeper.sales([{ ...T1, modified: LATER }])
  expect(
    (await keeper.night({ ...NIGHT, journal: ['qbo'], day: '2026-03-09' })).notRevised,
  ).toEqual([])
  expect(keeper.files()).toContain('journal_qbo_downtown_2026-03-08_r1.csv')
})

test('a day that is looked at again gets no file that was not given out before', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1, T2, T3])
  await keeper.export(['transactions'])
  await keeper.export(['payments'], { format: 'jsonl' })
  const before = keeper.files()
  await keeper.night({ ...NIGHT, day: '2026-03-09' })
  expect(keeper.files().filter(name => name.includes(DAY))).toEqual(before)
  keeper.sales([VOID])
  expect((await keeper.night({ ...NIGHT, journal: [], day: '2026-03-10' })).files).toBe(1 + 3)
  expect(keeper.files().filter(name => name.includes(`${DAY}_r1`))).toEqual(
    ['manifest', 'payments', 'restatement', 'transactions'].map(name =>
      expect.stringMatching(`^${name}_`),
    ),
  )
})

test('a day of which another list was exported afterwards is still looked at by the nights', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1, T2, T3])
  await keeper.night({ ...NIGHT, day: DAY })
  expect((await keeper.export(['products'])).status).toBe(0)
  keeper.sales([VOID])
  await keeper.night({ ...NIGHT, day: '2026-03-09' })
  expect(keeper.files()).toContain('daily_sales_journal_downtown_2026-03-08_r1.csv')
})

test('a closing report that holds a day holds it in nights too, until it agrees or is accepted', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1, T2])
  const closing = join(dirname(keeper.config.exports), 'closing.csv')
  writeFileSync(closing, 'figure,amount\ntotal_due,85.93\n')
  expect((await keeper.journal({ closing })).status).toBe(3)
  const refused = [{ day: DAY, code: 'JOURNAL_HELD' }]
  expect(await keeper.night({ ...NIGHT, day: '2026-03-09' })).toMatchObject({ notRevised: refused })
  const again = await keeper.journal()
  expect(again).toMatchObject({ status: 3, stderr: expect.stringContaining('CLOSING_DIFFERS') })
  expect(keeper.files().filter(name => name.startsWith(`${BOOKED}_r`))).toEqual([])

  const accepted = { suspense: true, reason: 'the refund came later' }
  expect((await keeper.journal(accepted)).status).toBe(0)
  expect(keeper.files()).toContain(`${BOOKED}_r0.csv`)
  keeper.sales([T3])
  expect(await keeper.night({ ...NIGHT, day: '2026-03-10' })).toMatchObject({ notRevised: [] })
  expect(keeper.files()).toContain(`${BOOKED}_r1.csv`)
})

test('a day that a closing report held is booked by the night after the missing sale came', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1, T2])
  const closing = join(dirname(keeper.config.exports), 'closing.csv')
  writeFileSync(closing, 'figure,amount\ntotal_due,85.93\n')
  await keeper.journal({ closing })
  keeper.sales([T3])
  expect(await keeper.night({ ...NIGHT, day: '2026-03-09' })).toMatchObject({ notRevised: [] })
  expect(keeper.files()).toContain(`${BOOKED}_r1.csv`)
})
