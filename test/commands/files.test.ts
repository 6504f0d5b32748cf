import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { command as accounts } from '../../commands/accounts.ts'
import { books } from '../../commands/books.ts'
import type { Context } from '../../commands/command.ts'
import { command as files } from '../../commands/files.ts'
import { command as status } from '../../commands/status.ts'
import { T1, T2, T3, TIMES } from '../exports/sales/worked-example.ts'
import { bookkeeper, DAY } from './bookkeeper.ts'

interface Told {
  store: string
  day?: string
  dataset: string
  format: string
  revision: number
  rows: number
  path: string
  sha256: string
  current: boolean
  gone?: boolean
}

async function givenOut() {
  const keeper = await bookkeeper()
  keeper.sales([T1, T2, T3])
  await keeper.export(['transactions'], { format: 'csv,parquet' })
  const list = async (options: object = {}): Promise<Told[]> => {
    const { stdout } = await keeper.listen(true, context => files.run(context, { ...options }))
    return (JSON.parse(stdout) as { files: Told[] }).files
  }
  return { keeper, list }
}

test('files tells what was given out; current is the newest of each day, dataset and format', async () => {
  const { keeper, list } = await givenOut()
  expect(await list()).toMatchObject([
    { store: 'downtown', day: DAY, dataset: 'transactions', format: 'csv', revision: 0, rows: 3 },
    { format: 'parquet', current: true },
  ])
  keeper.sales([{ ...T2, modified: TIMES.modified + 1, status: 'Void' }])
  await keeper.export(['transactions'], { format: 'csv' })
  const current = await list({ current: true, dataset: 'transactions' })
  expect(current.map(({ format, revision }) => [format, revision])).toEqual([
    ['csv', 1],
    ['parquet', 1],
  ])
  expect((await list({ dataset: 'transactions', format: 'csv' })).map(one => one.current)).toEqual([
    false,
    true,
  ])
  expect(await list({ from: '2026-03-09' })).toEqual([])
})

test('a file that is gone from the disk is named as gone, and its path is printed nowhere', async () => {
  const { keeper, list } = await givenOut()
  const [csv] = await list({ format: 'csv' })
  rmSync(csv!.path)
  expect(await list({ format: 'csv' })).toMatchObject([{ path: csv!.path, gone: true }])
  const said = await keeper.listen(false, context => files.run(context, { format: 'csv' }))
  expect(said).toEqual({ status: 0, stdout: '', stderr: `gone from the disk: ${csv!.path}` })
})

test('--current lists no day twice: its days, or with --prefer ranges the range', async () => {
  const { keeper, list } = await givenOut()
  const days = { from: '2026-03-07', to: '2026-03-10' }
  await keeper.export(['transactions'], { format: 'parquet', ...days })
  const asked = { format: 'parquet', current: true }
  expect(await list(asked)).toMatchObject([{ day: DAY }])
  expect(await list({ ...asked, prefer: 'ranges' })).toMatchObject([days])
  const said = (options: object) =>
    keeper.listen(false, context => files.run(context, { ...asked, ...options }))
  expect(await said({})).toMatchObject({
    status: 3,
    stdout: expect.stringMatching(/^\S*_2026-03-08_r0.parquet$/),
    stderr: expect.stringMatching(/2026-03-07_2026-03-10_r0.parquet \(2 of its days are in no/),
  })
  const { stdout } = await keeper.listen(true, context => files.run(context, asked))
  expect((JSON.parse(stdout) as { leftOut: unknown }).leftOut).toEqual([
    { path: expect.stringContaining('2026-03-07_2026-03-10_r0.parquet') as string, days: 2 },
  ])
  expect(await said({ prefer: 'ranges' })).toMatchObject({ status: 0, stderr: '' })
  // Once each day of it has a file, nothing is missing, and nothing is said.
  for (const [from, to] of [
    ['2026-03-07', '2026-03-08'],
    ['2026-03-09', '2026-03-10'],
  ])
    await keeper.export(['transactions'], { format: 'parquet', from, to })
  expect(await said({})).toMatchObject({ status: 0, stderr: '' })
  expect(await list(asked)).toHaveLength(3)
})

test('of a list without days, which is whole in each file, current is the one of the latest range', async () => {
  const { keeper, list } = await givenOut()
  for (const [from, to] of [
    ['2026-03-08', '2026-03-09'],
    ['2026-03-09', '2026-03-10'],
    ['2026-03-01', '2026-03-09'],
  ])
    await keeper.export(['products'], { format: 'csv', from, to })
  expect(await list({ dataset: 'products', current: true })).toMatchObject([{ day: '2026-03-09' }])
})

test('a name that nothing is called is refused with what was probably meant', async () => {
  const { keeper } = await givenOut()
  const ask = (options: Record<string, unknown>) =>
    keeper.listen(false, context => files.run(context, options))
  await expect(ask({ dataset: 'transaction' })).rejects.toThrow('no dataset "transaction"')
  await expect(ask({ format: 'pqt' })).rejects.toThrow('no format "pqt"')
  await expect(ask({ prefer: 'weeks' })).rejects.toThrow('no preference "weeks"')
  await expect(ask({ store: 'uptown' })).rejects.toThrow('no store "uptown"')
  await expect(ask({ from: '2026-3-1' })).rejects.toThrow('is not a day')
})

const say = async (
  keeper: Awaited<ReturnType<typeof bookkeeper>>,
  run: (context: Context) => Promise<number>,
): Promise<string> => (await keeper.listen(false, run)).stdout

test('a month as CSV has a line for each day, and accounts say through which day the books are closed', async () => {
  const { keeper } = await givenOut()
  const csv = await say(keeper, context => books(context, { month: '2026-03', csv: true }))
  const lines = csv.split('\n')
  expect(lines).toHaveLength(32)
  expect(lines[8]).toBe('downtown,2026-03-08,exported,0,,,0,0.00,,has no journal,,USD')
  const unfolded = async (): Promise<string> =>
    (await say(keeper, context => accounts.run(context, {}))).replaceAll(/\s+/g, ' ')
  expect(await unfolded()).toContain(
    'downtown: journals are written as generic; no month is closed',
  )
  keeper.reconfigure({ accounting: { periodClosedThrough: '2026-02-28' } })
  expect(await unfolded()).toContain('books are closed through 2026-02-28')
})

test('status names the days that were posted with an earlier chart; a dry run shows what would move', async () => {
  const { keeper } = await givenOut()
  await keeper.journal()
  const told = (): Promise<string> => say(keeper, context => status.run(context, {}))
  expect(await told()).not.toContain('accounts changed')
  keeper.reconfigure({ accounting: { accounts: { cash: '1015 Drawers' } } })
  const days = 'accounts changed since 1 day from 2026-03-08 to 2026-03-08 were posted'
  expect((await told()).replaceAll(/\s+/g, ' ')).toContain(days)
  const moved = await keeper.journal({ dryRun: true })
  expect(moved.stderr).toContain('would move: 1010 Cash on hand -70.63, 1015 Drawers 70.63')
})
