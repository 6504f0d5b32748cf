import { appendFileSync, chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { closedMonths, monthRange } from '../../books/periods.ts'
import { dayOf } from '../../calendar/clock.ts'
import { daysBetween } from '../../calendar/days.ts'
import { books, command } from '../../commands/books.ts'
import type { BooksOptions } from '../../commands/books.ts'
import { command as status } from '../../commands/status.ts'
import { verify } from '../../commands/verify.ts'
import { openPostingHistory } from '../../exports/posting-history.ts'
import { newestManifest } from '../../exports/revisions/manifest.ts'
import type { Notice } from '../../standing/notice.ts'
import { T1 } from '../exports/sales/worked-example.ts'
import { bookQuietDays } from './book-quiet-days.ts'
import { bookkeeper, DAY } from './bookkeeper.ts'
import type { Said } from './bookkeeper.ts'

const MONTH = '2026-03'
const DAYS = { from: DAY, to: '2026-03-09' }
const WHOLE = { start: '2026-02-28T00:00:00.000Z', end: '2026-04-03T00:00:00.000Z' }
type Keeper = Awaited<ReturnType<typeof bookkeeper>>

interface Day {
  day: string
  state: string
  revision: number | null
  journal: string | null
  balanced: boolean | null
  restated: { lines: number; amount: string }
}

const say = (keeper: Keeper, options: BooksOptions, ...names: [string?, string?]) =>
  keeper.listen(false, context => books(context, options, ...names))

async function daysOf(keeper: Keeper): Promise<Map<string, Day>> {
  const { stdout } = await keeper.listen(true, context => books(context, { month: MONTH }))
  const told = JSON.parse(stdout) as { month: string; stores: { store: string; days: Day[] }[] }
  expect(told).toMatchObject({ month: MONTH, stores: [{ store: 'downtown' }] })
  return new Map(told.stores[0]!.days.map(day => [day.day, day]))
}

/** Paid by check, and modified so many milliseconds later. */
const edited = (laterMs: number): object => {
  const text = JSON.stringify(T1).replaceAll('"Cash"', '"Check"')
  return { ...(JSON.parse(text) as object), modified: (T1['modified'] as number) + laterMs }
}

test('a month says of each day how it stands, and ends with 3 while a day that is over has no journal', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1])
  await keeper.journal()
  await keeper.export(['transactions'], { from: '2026-03-09', to: '2026-03-10' })
  const days = await daysOf(keeper)
  expect(days.size).toBe(31)
  expect(days.get(DAY)).toEqual({
    day: DAY,
    state: 'booked',
    revision: 0,
    journal: 'downtown-20260308-R0',
    balanced: true,
    restated: { lines: 0, amount: '0.00' },
    imports: [{ revision: 0, posted: null }],
  })
  expect(days.get('2026-03-09')).toMatchObject({ state: 'exported', revision: 0, journal: null })
  expect(days.get('2026-03-10')).toMatchObject({ state: 'proven', revision: null, balanced: null })
  expect(days.get('2026-03-25')).toMatchObject({ state: 'missed' })
  const shown = await say(keeper, { month: MONTH })
  expect(shown.status).toBe(3)
  expect(shown.stdout).toContain('downtown-20260308-R0')
  expect(Math.max(...shown.stdout.split('\n').map(line => line.length))).toBeLessThanOrEqual(80)
  expect(shown.stderr).toContain('downtown: 13 days missed, first 2026-03-19: tillage sync')
})

test('a day whose difference somebody accepted is booked, and keeps no month from being closed', async () => {
  const keeper = await bookkeeper()
  keeper.sales([{ ...T1, payments: [] }], { window: WHOLE })
  await keeper.journal({ suspense: true, reason: 'drawer counted again' })
  await bookQuietDays(keeper, MONTH, [DAY])
  expect((await daysOf(keeper)).get(DAY)).toMatchObject({ state: 'booked' })
  expect(await say(keeper, { by: 'Ana' }, 'close', MONTH)).toMatchObject({ status: 0 })
})

test('the revision of a day is that of its books, however often another list of the day changed', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1])
  await keeper.journal()
  await keeper.export(['products'])
  const product = { id: 'P-NEW', modified: T1['modified'] }
  keeper.read('downtown', 'products', [product])
  await keeper.export(['products', 'payments'])
  expect(keeper.files()).toContain(`products_downtown_${DAY}_r1.csv`)
  expect((await daysOf(keeper)).get(DAY)).toMatchObject({ state: 'booked', revision: 0 })
})

test('a day whose journal does not tie out is held, and days to come are open', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1, { ...T1, id: 'BAD', modified: 'yesterday' }])
  await keeper.journal()
  expect((await daysOf(keeper)).get(DAY)).toMatchObject({ state: 'held', journal: null })
  const future = await say(keeper, { month: '2999-01' })
  expect(future).toMatchObject({ status: 0, stdout: expect.stringMatching(/2999-01-31 +open/) })
})

test('a day that is held says what holds it, in the month and where the month is to be closed', async () => {
  const keeper = await bookkeeper()
  keeper.sales([{ ...T1, payments: [] }], { window: WHOLE })
  await keeper.journal()
  await bookQuietDays(keeper, MONTH, [DAY])
  const why = 'TIE_OUT transaction T1: '
  const shown = await say(keeper, { month: MONTH })
  expect(shown.stderr).toContain(`downtown: ${DAY} is held, ${why}`)
  const csv = await say(keeper, { month: MONTH, csv: true })
  expect(csv.stdout).toContain(`is held back: ${why}`)
  expect(csv.stdout).not.toContain('\r')
  const refused = await say(keeper, { by: 'Ana' }, 'close', MONTH)
  expect(refused.stderr).toContain(`  ${DAY} is held back`)
})

test('a day whose file of checks was changed is held, and says which file is to be restored', async () => {
  const keeper = await bookkeeper()
  keeper.sales([{ ...T1, payments: [] }], { window: WHOLE })
  await keeper.journal()
  const folder = join(keeper.config.exports, 'downtown', DAY)
  const path = join(folder, `exceptions_downtown_${DAY}_r0.csv`)
  const whole = readFileSync(path)
  chmodSync(path, 0o600)
  appendFileSync(path, 'error,X,"a"b,,\r\n')
  const shown = await say(keeper, { month: MONTH })
  expect(shown.stderr).toContain(`downtown: ${DAY} is held, ${path} was changed: row 3: a quote`)
  const notices = async () => {
    const { stdout } = await keeper.listen(true, context => status.run(context, {}))
    const told = JSON.parse(stdout) as { notices: Notice[] }
    return told.notices.filter(({ kind }) => kind === 'journal_held')
  }
  // A journal, dry or not, is refused; what tells more is the manifest.
  expect((await keeper.journal({ dryRun: true })).stderr).toContain('EVIDENCE_CHANGED')
  expect(await notices()).toMatchObject([
    {
      text: expect.stringContaining('restore it from a backup: tillage verify') as string,
      next: [{ command: `tillage verify ${join(folder, `manifest_downtown_${DAY}_r0.json`)}` }],
    },
  ])
  // In its place, as it was changed: the folder itself tells neither.
  writeFileSync(path, whole)
  expect(await notices()).toMatchObject([
    { next: [{ command: `tillage journal --store downtown --date ${DAY} --dry-run` }] },
  ])
})

test('a store that began within a month closes it where the days before were closed by others', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1], { window: { ...WHOLE, start: '2026-03-05T00:00:00.000Z' } })
  await keeper.journal()
  await bookQuietDays(
    keeper,
    MONTH,
    [1, 2, 3, 4, 5, 6, 7, 8].map(day => `2026-03-0${day}`),
  )
  const refused = await say(keeper, { by: 'Ana' }, 'close', MONTH)
  expect(refused.stderr).toContain('each day from 2026-03-01 to 2026-03-04 is not proven')
  keeper.reconfigure({ accounting: { periodClosedThrough: '2026-03-06' } })
  const still = await say(keeper, { by: 'Ana' }, 'close', MONTH)
  expect(still.stderr).toBe('downtown: 2026-03 cannot be closed:\n  2026-03-07 is not exported')
  const shown = await say(keeper, { month: MONTH })
  expect(shown).toMatchObject({
    status: 3,
    stderr: expect.stringMatching(/^downtown: 1 day proven, first 2026-03-07: /),
  })
  expect(shown.stdout).toMatch(/2026-03-06 +elsewhere/)
  keeper.reconfigure({ accounting: { periodClosedThrough: '2026-03-07' } })
  expect(await say(keeper, { month: MONTH })).toMatchObject({ status: 0, stderr: '' })
  expect((await say(keeper, { by: 'Ana' }, 'close', MONTH)).status).toBe(0)
})

test('a month is not closed over a booked day that was not proven when it was read again', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1], { window: WHOLE })
  await keeper.journal()
  await bookQuietDays(keeper, MONTH, [DAY])
  expect((await say(keeper, { month: MONTH })).status).toBe(0)
  const failed = { start: '2026-03-08T12:00:00.000Z', end: '2026-03-08T20:00:00.000Z' }
  keeper.sales([], { window: failed, status: 'unproven', readAt: '2026-04-04T00:00:00.000Z' })
  const shown = await say(keeper, { month: MONTH })
  expect(shown.status).toBe(3)
  expect(shown.stderr).toContain(`downtown: 1 day booked, and not proven since, first ${DAY}: `)
  const refused = await say(keeper, { by: 'Ana' }, 'close', MONTH)
  expect(refused.status).toBe(3)
  expect(refused.stderr).toContain(`  ${DAY} is not proven`)
})

test('the totals of a month are those of the entries dated in it, and balance', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1], { window: WHOLE })
  await keeper.journal()
  const { stdout } = await say(keeper, { month: MONTH })
  const nets = [...stdout.matchAll(/ {2}(-?\d+\.\d\d)$/gm)].map(([, net]) => Number(net) * 100)
  expect(nets.length).toBeGreaterThan(4)
  expect(Math.round(nets.reduce((sum, net) => sum + net, 0))).toBe(0)
  expect((await say(keeper, { month: '2026-02' })).stdout).toContain('No journal is dated')
})

test('a month with a day missing is not closed, and the day is named', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1], { window: WHOLE })
  await keeper.journal()
  await bookQuietDays(keeper, MONTH, [DAY, '2026-03-17'])
  const refused = await say(keeper, { by: 'Ana Ruiz' }, 'close', MONTH)
  expect(refused).toMatchObject({ status: 3, stdout: '' })
  expect(refused.stderr).toBe('downtown: 2026-03 cannot be closed:\n  2026-03-17 is not exported')
  expect((await daysOf(keeper)).get(DAY)).toMatchObject({ state: 'booked' })
})

test('once a month is closed, what changes of it is posted on the day of the run, until it is reopened', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1], { window: WHOLE })
  await keeper.journal()
  await bookQuietDays(keeper, MONTH, [DAY])
  expect(await say(keeper, { by: 'Ana Ruiz' }, 'close', MONTH)).toMatchObject({
    status: 0,
    stderr: '',
  })
  expect((await daysOf(keeper)).get(DAY)).toMatchObject({ state: 'closed' })
  const posted = async (modified: number) => {
    keeper.sales([edited(modified)], { window: WHOLE })
    const { stdout } = await keeper.journal({}, true)
    return (JSON.parse(stdout) as { stores: { entries: object[] }[] }).stores[0]!.entries
  }
  const changes = await posted(1)
  expect(changes).toMatchObject([{ kind: 'change' }])
  expect(changes).not.toMatchObject([{ date: DAY }])
  const restated = (await daysOf(keeper)).get(DAY)!
  expect(restated).toMatchObject({ state: 'closed', revision: 1 })
  // 100.00 in cash and 12.50 back became a check over 87.50.
  expect(restated.restated).toEqual({ lines: 3, amount: '100.00' })
  const newest = newestManifest(keeper.config.exports, { store: 'downtown', days: DAYS })!
  const checked = (path: string): Promise<Said> =>
    keeper.listen(false, context =>
      verify(context, { config: '', database: keeper.config.database }, path),
    )
  expect((await checked(join(newest.folder, newest.name))).stdout).toContain(
    'the books were closed through 2026-03-31 when this was written',
  )
  const first = `manifest_downtown_${DAY}_r0.json`
  expect((await checked(join(newest.folder, first))).stdout).not.toContain('closed through')
  const reopened = await say(keeper, { by: 'Ana Ruiz', reason: 'bank fees' }, 'reopen', MONTH)
  expect(reopened.status).toBe(0)
  keeper.sales([{ ...T1, modified: (T1['modified'] as number) + 2 }], { window: WHOLE })
  const again = JSON.parse((await keeper.journal({}, true)).stdout) as {
    stores: { entries: { date: string }[] }[]
  }
  expect(again.stores[0]!.entries.map(({ date }) => date)).toContain(DAY)
  const { stdout } = await say(keeper, { month: MONTH })
  expect(stdout).toMatch(/downtown: 2026-03 closed by Ana Ruiz, .* UTC\n/)
  expect(stdout).toMatch(/downtown: 2026-03 reopened by Ana Ruiz, .* UTC: bank fees\n/)
  expect((await checked(keeper.config.database)).stdout).toMatch(
    /closed by Ana Ruiz, .* UTC\n.* reopened by Ana Ruiz, .* UTC: bank fees$/,
  )
})

test('a month is reopened at every store that is meant, or at none', async () => {
  const keeper = await bookkeeper(['downtown', 'harbor'])
  const said = { by: 'Ana', reason: 'bank fees' }
  const history = await openPostingHistory(keeper.config.database)
  const closed = { month: MONTH, event: 'closed', by: 'Ana', reason: null } as const
  await history.recordPeriod({ ...closed, store: 'downtown', at: '2026-04-02T10:00:00.000Z' })
  const both = await say(keeper, said, 'reopen', MONTH)
  expect(both).toMatchObject({ status: 2, stdout: '' })
  expect(both.stderr).toContain('of harbor was not closed')
  expect(closedMonths(await history.periods('downtown'))).toEqual([MONTH])
  const one = await say(keeper, { ...said, store: 'downtown' }, 'reopen', MONTH)
  expect(one.status).toBe(0)
  expect(closedMonths(await history.periods('downtown'))).toEqual([])
  await history.close()
})

test('a month is not closed over an earlier one that is open and not booked', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1], { window: { ...WHOLE, start: '2026-02-01T00:00:00.000Z' } })
  await keeper.journal()
  await bookQuietDays(keeper, MONTH, [DAY])
  await keeper.export(['transactions'], { from: '2026-02-27', to: '2026-02-28' })
  const refused = await say(keeper, { by: 'Ana' }, 'close', MONTH)
  expect(refused.status).toBe(3)
  expect(refused.stderr).toContain('2026-02-27 has no journal')
  expect(refused.stderr).not.toContain('2026-02-26')
  keeper.reconfigure({ accounting: { periodClosedThrough: '2026-02-28' } })
  expect((await say(keeper, { by: 'Ana' }, 'close', MONTH)).status).toBe(0)
})

test('without a name, a reason or a month of the calendar nothing is closed or reopened', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1])
  await expect(say(keeper, {}, 'close', MONTH)).rejects.toThrow('--by is missing')
  await expect(say(keeper, { by: 'Ana' }, 'close', '2026-13')).rejects.toThrow('not a month')
  await expect(say(keeper, { by: 'Ana' }, 'reopen', MONTH)).rejects.toThrow('--reason is missing')
  await expect(say(keeper, {}, 'shut', MONTH)).rejects.toThrow('does not know "shut"')
  const never = await say(keeper, { by: 'Ana', reason: 'x' }, 'reopen', MONTH)
  expect(never).toMatchObject({ status: 2, stderr: expect.stringContaining('was not closed') })
})

test('a month that has begun shows its days until today, and --json all of them', async () => {
  const keeper = await bookkeeper()
  // A business day there begins at two in the morning.
  const today = dayOf(Date.now() - 2 * 3_600_000, 'America/Los_Angeles')
  const month = today.slice(0, 7)
  const { stdout } = await say(keeper, { month })
  expect(stdout).toMatch(new RegExp(`${today} +open`))
  expect(stdout.match(/downtown +\d{4}-\d\d-\d\d/g)).toHaveLength(Number(today.slice(8)))
  const json = await keeper.listen(true, context => books(context, { month }))
  const [store] = (JSON.parse(json.stdout) as { stores: { days: object[] }[] }).stores
  const { from, to } = monthRange(month)
  expect(store!.days).toHaveLength(daysBetween(from, to))
})

test('many days without a journal name one command, that of nights where they write journals', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1])
  const first = 'downtown: 18 days proven, first 2026-03-01:'
  expect((await say(keeper, { month: MONTH })).stderr).toContain(
    `${first} tillage journal --store downtown --from 2026-03-01 --to 2026-03-19`,
  )
  keeper.reconfigure({ schedules: { nightly: { journal: ['qbo'] } } })
  expect((await say(keeper, { month: MONTH })).stderr).toContain(
    `${first} tillage schedule backfill --store downtown --from 2026-03-01 --to 2026-03-19`,
  )
})

test('the manifest of files that were imported names the one that followed it, and the newest names none', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1])
  await keeper.journal()
  const newest = (): string => {
    const { folder, name } = newestManifest(keeper.config.exports, {
      store: 'downtown',
      days: DAYS,
    })!
    return join(folder, name)
  }
  const imported = newest()
  const told = async (path: string): Promise<string> =>
    (
      await keeper.listen(false, context =>
        verify(context, { config: '', database: keeper.config.database }, path),
      )
    ).stdout
  expect(await told(imported)).not.toContain('followed')
  keeper.sales([edited(1000)])
  await keeper.journal()
  expect(await told(imported)).toContain(`it was followed by ${newest()}`)
  expect(await told(newest())).not.toContain('followed')
})

test('a month is named behind the action or with --month, for each action alike', async () => {
  const keeper = await bookkeeper()
  const run = (options: object, ...words: string[]) =>
    keeper.listen(false, context => command.run(context, { ...options }, ...words))
  const shown = await run({ month: MONTH })
  expect(shown.stdout).toContain(MONTH)
  expect(await run({}, MONTH)).toEqual(shown)
  const closed = await run({ by: 'Ana Ruiz' }, 'close', MONTH)
  expect(closed.stderr).toContain(`${MONTH} cannot be closed`)
  expect(await run({ by: 'Ana Ruiz', month: MONTH }, 'close')).toEqual(closed)
  await expect(run({ by: 'Ana Ruiz', month: '2026-01' }, 'close', MONTH)).rejects.toThrow(
    `two months are named, ${MONTH} and 2026-01`,
  )
})
