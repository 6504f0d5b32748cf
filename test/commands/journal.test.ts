import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { dayOf } from '../../calendar/clock.ts'
import { addDays, toIso } from '../../calendar/days.ts'
import { journal } from '../../commands/journal.ts'
import type { JournalOptions } from '../../commands/journal/options.ts'
import { pathIn } from '../exports/order.ts'
import { T1, TIMES } from '../exports/sales/worked-example.ts'
import { bookkeeper, DAY } from './bookkeeper.ts'

const HOUR_MS = 3_600_000
const now = Date.now()
/**
 * Everything until two seconds ago is proven; a second ago something was read that is not. Hours
 * would be on two business days around the cut-off.
 */
const UNFINISHED = { start: toIso(now - 4 * 24 * HOUR_MS), end: toIso(now - 2_000) }
const soldAt = (id: string, ms: number) => ({
  ...T1,
  id,
  created: ms,
  completedTime: ms,
  processedTime: ms,
  modified: ms,
})

test('a day that is not over is not booked, and what is not proven of it is in no file', async () => {
  const keeper = await bookkeeper()
  keeper.sales([soldAt('PROVEN', now - 3_000)], { window: UNFINISHED })
  keeper.sales([soldAt('DOUBTFUL', now - 1_000)], {
    window: { start: UNFINISHED.end, end: toIso(now) },
    status: 'unproven',
  })
  // A business day there begins at two in the morning.
  const today = dayOf(now - 2 * HOUR_MS, 'America/Los_Angeles')
  const refused = await keeper.journal({ date: today })
  expect(refused).toMatchObject({ status: 3, stdout: '' })
  expect(refused.stderr).toContain(`NOT_PROVEN: downtown is still selling on ${today}`)
  const ahead = addDays(today, 2)
  expect(await keeper.journal({ date: ahead })).toMatchObject({
    status: 3,
    stderr: expect.stringContaining(`NOT_PROVEN: ${ahead} has not begun for downtown`) as string,
  })
  expect(refused.stderr).toMatch(/ends at \d{4}-\d\d-\d\d 0\d:00 \(America\/Los_Angeles\)/)
  // From yesterday on, so that the cut-off is no matter.
  const exported = JSON.parse(
    (
      await keeper.export(
        ['transactions'],
        { from: addDays(today, -1), to: addDays(today, 1) },
        true,
      )
    ).stdout,
  ) as { files: { rows: number }[] }
  expect(exported.files.map(({ rows }) => rows)).toEqual([1])
})

test('a day that was not proven again is written by its earlier proof, and that is said', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1])
  expect(await keeper.export(['transactions'])).toMatchObject({ status: 0 })
  const window = { start: `${DAY}T00:00:00.000Z`, end: `${addDays(DAY, 2)}T00:00:00.000Z` }
  keeper.sales([], { window, status: 'unproven', readAt: '2026-04-04T00:00:00.000Z' })
  const said = {
    status: 3,
    stderr: expect.stringContaining(
      'downtown transactions: proven before, and not when it was read again',
    ) as string,
  }
  expect(await keeper.export(['transactions'])).toMatchObject(said)
  expect(await keeper.journal()).toMatchObject(said)
  // The business day goes on until two in the night.
  expect((await keeper.export(['transactions'])).stderr.replaceAll(/\s+/g, ' ')).toContain(
    `--from ${DAY} --to ${addDays(DAY, 2)}`,
  )
  // Of another day nothing is said.
  const before = { from: addDays(DAY, -3), to: addDays(DAY, -2) }
  expect(await keeper.export(['transactions'], before)).toMatchObject({ status: 0 })
  keeper.sales([T1], { window, readAt: '2026-04-05T00:00:00.000Z' })
  expect(await keeper.journal()).toMatchObject({ status: 0 })
})

test('a journal that the database has lost is taken from the folder, and a finding names it', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1])
  await keeper.journal()
  keeper.sales([{ ...T1, status: 'Void', modified: TIMES.modified + 1 }])
  await keeper.journal()
  const { connection } = keeper.database
  const findings = (): unknown[] =>
    connection.prepare("SELECT detail FROM findings WHERE code = 'journal_from_files'").all()
  expect(findings()).toEqual([])
  // As in a backup of before that.
  for (const table of ['journal_entries', 'journal_files'])
    connection.exec(`DELETE FROM ${table} WHERE revision = 1`)
  const before = keeper.files()
  expect((await keeper.journal()).status).toBe(0)
  expect(keeper.files()).toEqual(before)
  expect(findings()).toEqual([{ detail: `${DAY}: downtown-20260308-X1` }])
})

test('a range that ends in the future lacks no day that is over, and none that has not been read', async () => {
  const keeper = await bookkeeper()
  const today = dayOf(now, 'America/Los_Angeles')
  const tomorrow = addDays(today, 1)
  const from = addDays(today, -4)
  const read = (until: number): void =>
    keeper.sales([soldAt('PROVEN', now - 4 * 24 * HOUR_MS)], {
      window: { start: toIso(now - 8 * 24 * HOUR_MS), end: toIso(until) },
    })
  // The day before yesterday was read, yesterday was not.
  read(now - 2 * 24 * HOUR_MS)
  const lacking = await keeper.export(['transactions'], { from, to: tomorrow })
  expect(lacking).toMatchObject({ status: 3, stdout: '' })
  expect(lacking.stderr).toContain('NOT_PROVEN: downtown transactions is not proven')
  const alone = await keeper.export(['transactions'], { from: today, to: tomorrow })
  expect(alone).toMatchObject({ status: 3, stdout: '' })
  const ahead = await keeper.export(['transactions'], {
    from: addDays(today, 2),
    to: addDays(today, 3),
  })
  expect(ahead.stderr).toContain(`${addDays(today, 2)} has not begun for downtown`)
  // The twin: read until a moment ago, all but the rest of today is there.
  read(now - 1)
  expect(await keeper.export(['transactions'], { from, to: tomorrow })).toMatchObject({ status: 0 })
})

test('one store that cannot be booked delays no other; exit status and document name it', async () => {
  const keeper = await bookkeeper(['downtown', 'harbor'])
  keeper.sales([T1], {}, 'harbor')
  const said = await keeper.journal({}, true)
  expect(said.status).toBe(3)
  expect(JSON.parse(said.stdout)).toMatchObject({
    stores: [{ store: 'harbor', held: false }],
    refused: [
      {
        store: 'downtown',
        error: { code: 'NOT_PROVEN', remedy: expect.stringContaining('tillage sync') },
      },
    ],
  })
})

test('a hole behind the day, where edits of it may be, is told with status 3 as by an export', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1], {
    window: { start: '2026-03-01T00:00:00.000Z', end: '2026-03-10T00:00:00.000Z' },
  })
  expect((await keeper.journal()).status).toBe(0)
  keeper.sales([], {
    window: { start: '2026-03-11T00:00:00.000Z', end: '2026-03-20T00:00:00.000Z' },
  })
  const said = await keeper.journal()
  expect(said).toMatchObject({
    status: 3,
    stderr: expect.stringContaining(
      'make it proven: tillage sync transactions --store downtown --from 2026-03-09',
    ),
  })
  expect((await keeper.export(['transactions'])).status).toBe(3)
})

test('a day that only a dead letter holds back names the dead letters, since no reason can accept them', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1, { ...T1, id: 'BAD', modified: 'yesterday' }])
  const letters = 'tillage dead-letters list --store downtown'
  const said = await keeper.journal({ suspense: true, reason: 'counted' })
  expect(said.stderr).toContain(
    `JOURNAL_HELD: downtown has no journal for this day, because it does not tie out\nReplay what could not be loaded, or give it up: ${letters}`,
  )
  expect(said.stderr).not.toContain('--suspense')
  expect(await keeper.export(['transactions'])).toMatchObject({
    status: 3,
    stderr: expect.stringContaining(
      `1 record of these days is a dead letter and in no file; see why: ${letters} --stream transactions`,
    ),
  })
  expect((await keeper.export(['members'], { from: DAY, to: '2026-03-09' })).stderr).not.toContain(
    'dead letter',
  )
})

test('an export names a sale that no table took on its business day, whenever it was read', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1], {
    window: { start: '2026-03-01T00:00:00.000Z', end: '2026-03-10T00:00:00.000Z' },
  })
  keeper.sales([{ ...T1, id: 'BAD', modified: 'yesterday' }], {
    window: { start: '2026-03-10T00:00:00.000Z', end: '2026-03-20T00:00:00.000Z' },
  })
  expect(await keeper.export(['transactions'])).toMatchObject({
    status: 3,
    stderr: expect.stringContaining('1 record of these days is a dead letter') as string,
  })
  // The twin: the days of the window lack nothing.
  const window = await keeper.export(['transactions'], { from: '2026-03-11', to: '2026-03-12' })
  expect(window.status).toBe(0)
})

test('a booked day that no longer ties out names the entry that is posted, and where to look', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1])
  await keeper.journal()
  const closing = join(dirname(keeper.config.exports), 'closing.csv')
  writeFileSync(closing, 'figure,amount\ntotal_due,99.80\n')
  const { stderr } = await keeper.journal({ closing, dryRun: true })
  expect(stderr).toContain(
    'JOURNAL_HELD: downtown has no change of downtown-20260308-R0, which stands, because',
  )
  expect(stderr).toContain('excluded_reason in the transactions file')
  expect((await keeper.journal()).status).toBe(0)
})

test('a sale whose times put it on no day is named beside every journal, and holds none', async () => {
  const keeper = await bookkeeper()
  const completedTime = Date.UTC(5138, 10, 16)
  keeper.sales([T1, { ...T1, id: 'LOST', completedTime }])
  expect((await keeper.journal()).status).toBe(3)
  const textOf = (dataset: string): string => {
    const name = keeper.files().find(file => file.startsWith(dataset) && file.endsWith('.csv'))
    return readFileSync(pathIn(keeper.config.exports, name!), 'utf8')
  }
  expect(textOf('exceptions')).toMatch(/error,ROWS_DIFFER,LOST/)
  expect(textOf('tieout')).toContain('sales_without_a_day,0,1,1,incomplete')
})

test('a dead letter whose time of completion is no time belongs to the day of another of its times', async () => {
  const keeper = await bookkeeper()
  const completedTime = 8_640_000_000_000_001
  const modified = Date.parse('2026-03-01T12:00:00Z')
  keeper.sales([T1, { ...T1, id: 'ODD', completedTime, processedTime: modified, modified }])
  expect((await keeper.journal()).status).toBe(0)
  keeper.sales([{ ...T1, id: 'ODD', completedTime, processedTime: 0, modified: completedTime }])
  expect((await keeper.journal()).stderr).toContain('JOURNAL_HELD')
})

test('a dead letter that says another day than its record did holds both, for neither is known', async () => {
  const keeper = await bookkeeper()
  const next = TIMES.completed + 24 * 3_600_000
  keeper.sales([T1, { ...T1, id: 'MOVED' }])
  keeper.sales([
    { ...T1, id: 'MOVED', completedTime: next, processedTime: next, modified: 'yesterday' },
  ])
  for (const date of [DAY, '2026-03-09'])
    expect((await keeper.journal({ date })).stderr, date).toContain('JOURNAL_HELD')
  keeper.sales([
    { ...T1, id: 'MOVED', completedTime: next, processedTime: next, modified: next + 1 },
  ])
  for (const date of [DAY, '2026-03-09'])
    expect((await keeper.journal({ date })).stderr, date).not.toContain('JOURNAL_HELD')
})

test('a store whose folder refuses it is told as it is, and the worst status is the one of the command', async () => {
  const keeper = await bookkeeper(['downtown', 'harbor'])
  for (const store of ['downtown', 'harbor']) keeper.sales([T1], {}, store)
  await keeper.export(['transactions'], { store: 'downtown', people: true })
  const said = await keeper.export(['transactions'], {}, true)
  expect(said.status).toBe(2)
  expect(JSON.parse(said.stdout)).toMatchObject({
    files: [{ format: 'csv' }],
    manifest: expect.stringContaining('harbor'),
    refused: [{ store: 'downtown', error: { code: 'USAGE' } }],
  })
  expect(said.stderr).toContain('USAGE: ')
})

test('a dry run shows the accounts and what of them is not posted yet, names no file and writes none', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1])
  const first = await keeper.journal({ dryRun: true })
  expect(first).toMatchObject({ status: 0, stderr: '' })
  expect(first.stdout).toMatch(/downtown +1010 Cash on hand +87\.50 +87\.50/)
  expect(first.stdout).not.toContain('exports')
  expect(existsSync(keeper.config.exports)).toBe(false)
  await keeper.journal()
  const before = keeper.files()
  keeper.sales([{ ...T1, status: 'Void', modified: TIMES.modified + 1 }])
  const then = await keeper.journal({ dryRun: true }, true)
  expect(JSON.parse(then.stdout)).toMatchObject({
    files: [],
    manifest: null,
    stores: [
      {
        entries: [{ number: 'downtown-20260308-X1' }],
        accounts: [],
        differences: expect.arrayContaining([
          { account: '1010 Cash on hand', amount: '-87.50' },
        ]) as unknown,
      },
    ],
  })
  expect(keeper.files()).toEqual(before)
})

test('a change of what was posted says by how much each account moves', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1])
  expect((await keeper.journal()).stdout).not.toContain('beyond')
  const [payment] = T1['payments'] as object[]
  const payments = [{ ...payment, paymentOption: 'Debit' }]
  keeper.sales([{ ...T1, modified: TIMES.modified + 1, payments }])
  const { stdout } = await keeper.journal()
  expect(stdout).toMatch(/downtown-20260308-R0 +1010 Cash on hand +-\d+\.\d\d/)
  expect(stdout).toMatch(/downtown-20260308-R0 +1050 Debit card clearing +\d+\.\d\d/)
})

test('files for other importers that a run writes are named, too, and none that it did not touch', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1])
  await keeper.journal({ format: 'qbo,iif' })
  const named = async (options: JournalOptions = {}): Promise<string[]> => {
    const { stdout } = await keeper.journal(options)
    return stdout.split('\n').flatMap(line => /journal_\w+?_downtown_\S+/.exec(line) ?? [])
  }
  expect(await named()).toEqual([])
  const cash = { code: '1010', name: 'Cash on hand', qbo: 'Cash:Till' }
  keeper.reconfigure({ accounting: { accounts: { cash } } })
  expect((await named({ reissue: true, by: 'Ana' })).toSorted()).toEqual([
    `journal_iif_downtown_${DAY}_r0-2.iif`,
    `journal_qbo_downtown_${DAY}_r0-2.csv`,
  ])
  // In another folder, or on another machine, a name has the same bytes.
  const elsewhere = join(keeper.config.exports, '..', 'elsewhere')
  expect(await named({ format: 'qbo', out: elsewhere })).toEqual([
    `journal_qbo_downtown_${DAY}_r0-2.csv`,
  ])
})

test('a range of days has the files of each day as if it were booked alone, and one summary', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1])
  const from = addDays(DAY, -1)
  const range = (options: JournalOptions = {}, json = false) =>
    keeper.listen(json, context =>
      journal(context, { from, to: addDays(DAY, 1), format: 'generic,qbo', ...options }),
    )
  const foreseen = await range({ dryRun: true })
  expect([foreseen.status, existsSync(keeper.config.exports)]).toEqual([0, false])
  const said = await range()
  expect(said).toMatchObject({ status: 0, stderr: '' })
  expect(said.stdout).toMatch(/downtown {2}2026-03-07 {2}downtown-20260307-R0 +0.00/)
  expect(said.stdout).toMatch(/downtown {2}2026-03-08 {2}downtown-20260308-R0 +(\S+) +\1/)
  expect(said.stdout).toMatch(/\d+ files; which: tillage files --from 2026-03-07 --to 2026-03-09/)
  const files = keeper.files()
  const alone = await bookkeeper()
  alone.sales([T1])
  for (const date of [from, DAY]) await alone.journal({ date, format: 'generic,qbo' })
  expect(files).toEqual(alone.files())
  const { stores } = JSON.parse((await range({}, true)).stdout) as { stores: { day: string }[] }
  expect(stores.map(({ day }) => day)).toEqual([from, DAY])
  expect((await range()).stdout).toMatch(/03-08 {2}unchanged \(r0\)/)
  // The second of these days is not proven.
  const beyond = await range({ from: '2026-03-18', to: '2026-03-20' })
  expect(beyond.status).toBe(3)
  expect(beyond.stderr).toContain('NOT_PROVEN')
})

test.each([
  [{ date: DAY, to: DAY }, '--date is one day'],
  [{ from: DAY }, '--to is missing'],
  [{ from: DAY, to: DAY }, 'is empty'],
  [{ from: DAY, to: addDays(DAY, 2), closing: 'z.csv' }, '--closing is about one day'],
  [{ from: DAY, to: addDays(DAY, 2), suspense: true, reason: 'x' }, '--suspense is about one day'],
  [{}, '--date is missing'],
] as [JournalOptions, string][])(
  'days that cannot be booked are refused: %j',
  async (options, why) => {
    const keeper = await bookkeeper()
    await expect(keeper.listen(false, context => journal(context, options))).rejects.toThrow(why)
  },
)
