import { expect, test } from 'vitest'
import { DAY_MS } from '../../calendar/days.ts'
import { books } from '../../commands/books.ts'
import { journal } from '../../commands/journal.ts'
import { command as statusCommand } from '../../commands/status.ts'
import { T1 } from '../exports/sales/worked-example.ts'
import { bookQuietDays } from './book-quiet-days.ts'
import { bookkeeper, DAY } from './bookkeeper.ts'
import type { Said } from './bookkeeper.ts'

const MONTH = '2026-03'
const WHOLE = { start: '2026-02-28T00:00:00.000Z', end: '2026-04-03T00:00:00.000Z' }
const COMMAND = `tillage journal --store downtown --date ${DAY}`
type Keeper = Awaited<ReturnType<typeof bookkeeper>>

const STORE = {
  id: 'downtown',
  baseUrl: 'http://127.0.0.1:9',
  partnerKey: 'p',
  developerKey: 'downtown',
  timeZone: 'America/Los_Angeles',
}

const later = (changes: object): object => ({
  ...T1,
  modified: (T1['modified'] as number) + 1000,
  ...changes,
})
const byCheck = (): object =>
  JSON.parse(JSON.stringify(later({})).replaceAll('"Cash"', '"Check"')) as object

/** A month of which every day is booked, one of them with a sale. */
async function bookedMonth(): Promise<Keeper> {
  const keeper = await bookkeeper()
  keeper.sales([T1], { window: WHOLE })
  await keeper.journal()
  await bookQuietDays(keeper, MONTH, [DAY])
  return keeper
}

const show = (keeper: Keeper): Promise<Said> =>
  keeper.listen(false, context => books(context, { month: MONTH }))
const close = (keeper: Keeper, json = false): Promise<Said> =>
  keeper.listen(json, context => books(context, { by: 'Ana' }, 'close', MONTH))
const status = (keeper: Keeper): Promise<Said> =>
  keeper.listen(false, context => statusCommand.run(context, {}))

/** What happened after the journal, and what of it is not posted. */
const CHANGES: readonly [string, (keeper: Keeper) => unknown, string][] = [
  [
    'a sale was voided',
    keeper => keeper.sales([later({ status: 'Void' })], { window: WHOLE }),
    'is not posted',
  ],
  [
    'a sale was paid in another way',
    keeper => keeper.sales([byCheck()], { window: WHOLE }),
    '100.00 is not posted',
  ],
  [
    'a sale came late',
    keeper => keeper.sales([later({ id: 'T-LATE' })], { window: WHOLE }),
    'is not posted',
  ],
  [
    'a sale is gone from the API',
    keeper => keeper.sales([], { window: WHOLE, gone: ['T1'] }),
    'is not posted',
  ],
  [
    'a sale can no longer be loaded',
    keeper => keeper.sales([later({ modified: 'yesterday' })], { window: WHOLE }),
    'its next journal is held back (ROWS_DIFFER',
  ],
  [
    'the cost of a lot was corrected',
    keeper => keeper.read('downtown', 'batches', [{ id: 'B-FLW', costPerUnit: 14.5, modified: 2 }]),
    'is not posted',
  ],
  [
    'a product turned out not to be cannabis',
    keeper =>
      keeper.read('downtown', 'products', [
        { id: 'P-FLW', name: 'Flower', category: { name: 'Flower', cannabis: false } },
      ]),
    'is not posted',
  ],
  [
    'days are cut at another hour, and its sale is on another day',
    keeper => keeper.reconfigure({ stores: [{ ...STORE, dayStartsAt: '23:59' }] }),
    'is not posted',
  ],
]

test.each(CHANGES)(
  'after %s, the day is changed in the month, keeps it open, and status says so, until its journal is made',
  async (_what, change, said) => {
    const keeper = await bookedMonth()
    expect((await status(keeper)).stdout).not.toContain(COMMAND)
    await change(keeper)
    const shown = await show(keeper)
    expect(shown).toMatchObject({ status: 3 })
    expect(shown.stdout).toMatch(new RegExp(`${DAY} +changed`))
    expect(shown.stderr).toContain(`${DAY} has changed since its journal`)
    expect(shown.stderr).toContain(said)
    expect(shown.stderr).toContain(COMMAND)
    const refused = await close(keeper)
    expect(refused).toMatchObject({ status: 3, stdout: '' })
    expect(refused.stderr).toContain(said)
    const told = await status(keeper)
    expect(told.status).toBe(3)
    expect(told.stdout.replaceAll(/\s+/g, ' ')).toContain(said)
    await keeper.journal()
    expect((await show(keeper)).stdout).not.toMatch(new RegExp(`${DAY} +changed`))
  },
)

test('the days that a corrected cost changed are named with one command for all of them', async () => {
  const keeper = await bookkeeper()
  const range = { from: DAY, to: '2026-03-11' }
  const post = (): Promise<Said> => keeper.listen(false, context => journal(context, range))
  const sold = [0, 1, 2].map(days => {
    const at = (name: string): number => (T1[name] as number) + days * DAY_MS
    const times = { completedTime: at('completedTime'), processedTime: at('processedTime') }
    return { ...T1, ...times, id: `T${days}`, modified: at('modified') }
  })
  keeper.sales(sold, { window: WHOLE })
  expect((await post()).status).toBe(0)
  keeper.read('downtown', 'batches', [{ id: 'B-FLW', costPerUnit: 14.5, modified: 2 }])
  const command = `tillage journal --store downtown --from ${DAY} --to 2026-03-11`
  const all = `these 3 days, and those between them: ${command}`
  expect((await show(keeper)).stderr).toContain(`downtown: ${all}`)
  expect((await close(keeper)).stderr).toContain(all)
  expect((await post()).status).toBe(0)
  expect((await show(keeper)).stdout).not.toContain('changed')
})

test('a month without a change since its journals closes', async () => {
  const keeper = await bookedMonth()
  // Read again as it was.
  keeper.sales([T1], { window: WHOLE })
  await keeper.export(['transactions'], { from: '2026-03-01', to: '2026-04-01' })
  expect((await show(keeper)).stdout).toMatch(new RegExp(`${DAY} +booked`))
  expect(await close(keeper)).toMatchObject({ status: 0, stderr: '' })
})

test('an export of the changed day posts nothing, and the day is still changed', async () => {
  const keeper = await bookedMonth()
  keeper.sales([byCheck()], { window: WHOLE })
  await keeper.export(['transactions'])
  expect((await show(keeper)).stdout).toMatch(new RegExp(`${DAY} +changed +r1`))
  expect(await close(keeper)).toMatchObject({ status: 3 })
})

test('a change of a closed month is told, and of a month that was reopened keeps it open', async () => {
  const keeper = await bookedMonth()
  expect(await close(keeper)).toMatchObject({ status: 0 })
  keeper.sales([byCheck()], { window: WHOLE })
  expect((await show(keeper)).stdout).toMatch(new RegExp(`${DAY} +changed`))
  await keeper.listen(false, context =>
    books(context, { by: 'Ana', reason: 'a void' }, 'reopen', MONTH),
  )
  expect(await close(keeper)).toMatchObject({ status: 3 })
  await keeper.journal()
  expect(await close(keeper)).toMatchObject({ status: 0 })
})

test('the JSON has what is not posted by account', async () => {
  const keeper = await bookedMonth()
  keeper.sales([byCheck()], { window: WHOLE })
  const refused = JSON.parse((await close(keeper, true)).stdout) as {
    stores: { missing: { day: string; unposted: { amount: string; accounts: object[] } }[] }[]
  }
  const [missing] = refused.stores[0]!.missing
  expect(missing).toMatchObject({ day: DAY, unposted: { amount: '100.00' } })
  expect(missing!.unposted.accounts.length).toBeGreaterThan(1)
})

test('an edit that moves no amount is no change of the books', async () => {
  const keeper = await bookedMonth()
  keeper.sales([later({ note: 'gift' })], { window: WHOLE })
  expect((await show(keeper)).stdout).toMatch(new RegExp(`${DAY} +booked`))
  expect(await close(keeper)).toMatchObject({ status: 0 })
})
