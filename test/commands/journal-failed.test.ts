import { expect, test } from 'vitest'
import { givenDays } from '../../books/given-days.ts'
import { addDays } from '../../calendar/days.ts'
import { openReadOnly } from '../../connectors/database.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { postingHistoryOf } from '../../exports/posting-history.ts'
import { T1 } from '../exports/sales/worked-example.ts'
import { bookkeeper, DAY } from './bookkeeper.ts'

type Keeper = Awaited<ReturnType<typeof bookkeeper>>

/** Whether `books` counts the day as booked, and whether `status` asks for its journal. */
async function standingOf(keeper: Keeper): Promise<unknown> {
  await using database = await openReadOnly(keeper.config, streams)
  const place = { config: keeper.config, database, history: postingHistoryOf(database.givenOut) }
  const days = { from: DAY, to: addDays(DAY, 1) }
  const [given] = await givenDays(place, 'downtown', days)
  const unfinished = await database.givenOut.unfinished('downtown', days)
  return { booked: given!.booked, unfinished: unfinished.length > 0 }
}
const BOOKED = { booked: true, unfinished: false }

/** While it works, nothing is written into a table. */
async function without(
  { database: { connection } }: Keeper,
  table: string,
  work: () => Promise<unknown>,
): Promise<void> {
  connection.exec(
    `CREATE TRIGGER broken BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'broken'); END`,
  )
  expect(await work()).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('broken') as string,
  })
  connection.exec('DROP TRIGGER broken')
}

test('a journal that failed after it was posted is not booked until its files are given out', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1])
  await without(keeper, 'posted_days', () => keeper.journal())
  expect(await standingOf(keeper)).toEqual({ booked: false, unfinished: true })
  expect((await keeper.export(['transactions'])).status).toBe(0)
  expect(await standingOf(keeper)).toEqual({ booked: false, unfinished: true })
  expect((await keeper.journal()).status).toBe(0)
  expect(await standingOf(keeper)).toEqual(BOOKED)
  expect(keeper.files()).toContain(`daily_sales_journal_downtown_${DAY}_r0.csv`)
})

test('an export that fails takes nothing from a day that is booked', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1])
  expect((await keeper.journal()).status).toBe(0)
  const before = keeper.database.connection.prepare('SELECT path FROM given_files ORDER BY path')
  const known = before.all()
  await without(keeper, 'revisions', () => keeper.export(['transactions']))
  expect(await standingOf(keeper)).toEqual(BOOKED)
  expect(before.all()).toEqual(known)
})
