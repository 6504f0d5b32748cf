import { expect, test } from 'vitest'
import { books } from '../../commands/books.ts'
import type { BooksOptions } from '../../commands/books.ts'
import { command as files } from '../../commands/files.ts'
import { T1, T2, T3, TIMES } from '../exports/sales/worked-example.ts'
import { bookkeeper, DAY } from './bookkeeper.ts'

const BY = { by: 'Ana Ruiz' }

async function bookedDay(stores: readonly string[] = ['downtown']) {
  const keeper = await bookkeeper(stores)
  for (const store of stores) keeper.sales([T1, T2, T3], {}, store)
  await keeper.journal({ format: 'qbo' })
  const say = (options: BooksOptions, ...names: [string?, string?]) =>
    keeper.listen(false, context => books(context, options, ...names))
  const refusalOf = (options: BooksOptions): Promise<string> =>
    say({ ...BY, ...options }, 'posted', DAY).then(
      () => '',
      (error: Error) => error.message,
    )
  return {
    keeper,
    refusalOf,
    posted: (options: BooksOptions) => say({ ...BY, ...options }, 'posted', DAY),
    month: async () => {
      const said = await say({ month: DAY.slice(0, 7) })
      return { ...said, day: said.stdout.split('\n').find(line => line.includes(DAY))! }
    },
    changed: async () => {
      keeper.sales([{ ...T2, modified: TIMES.modified + 1, status: 'Void' }])
      await keeper.journal({ format: 'qbo' })
    },
  }
}

test('an import is recorded once, and the second says who did the first, when and under which number', async () => {
  const { posted, refusalOf, month } = await bookedDay()
  expect((await month()).stdout).not.toContain('QB-812')
  expect(await posted({ ref: 'QB-812' })).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(
      /^downtown: 2026-03-08 r0 posted as QB-812 by Ana Ruiz/,
    ) as string,
  })
  expect((await month()).day).toContain('QB-812')
  expect(await refusalOf({ ref: 'QB-813' })).toMatch(
    /2026-03-08 r0 of downtown was posted already: as QB-812 by Ana Ruiz/,
  )
})

test('a revision that was not imported is named once imports are recorded, and is the next default', async () => {
  const { posted, month, changed } = await bookedDay()
  expect((await month()).stderr).not.toContain('nobody has recorded')
  await posted({ ref: 'QB-812' })
  await changed()
  const told = await month()
  expect(told.day).toContain('not r1')
  expect(told.stderr).toContain('nobody has recorded the import of 2026-03-08 r1')
  expect((await posted({ ref: 'QB-820' })).stdout).toContain('r1 posted as QB-820')
  expect((await month()).stdout.replaceAll(/\s+/g, ' ')).toContain('QB-820')
})

test('of two that wait neither is meant before it is named', async () => {
  const { posted, refusalOf, changed } = await bookedDay()
  await changed()
  expect(await refusalOf({ ref: '1' })).toContain('more than one file')
  expect(await refusalOf({ ref: '1', revision: 7 })).toContain('no journal of revision 7')
  expect((await posted({ ref: '1', revision: 0 })).stdout).toContain('r0 posted as 1')
  expect((await posted({ ref: '1' })).stderr).toContain(
    '2026-03-08 r0 was posted under the same number',
  )
})

test('what was recorded by mistake is withdrawn with a reason, and can be recorded again', async () => {
  const { posted, refusalOf, month } = await bookedDay()
  expect(await refusalOf({ withdraw: true, reason: 'none' })).toContain('nobody has said')
  await posted({ ref: 'QB-812' })
  expect(await refusalOf({ withdraw: true })).toContain('--reason is missing')
  await posted({ withdraw: true, reason: 'the draft was deleted' })
  expect((await month()).day).toContain('not r0')
  expect((await posted({ ref: 'QB-815' })).status).toBe(0)
})

test('an import is of one store, and needs a number and a journal', async () => {
  const { refusalOf } = await bookedDay(['downtown', 'harbor'])
  expect(await refusalOf({ ref: '1' })).toContain('each store are imported by themselves')
  expect(await refusalOf({ store: 'harbor' })).toContain('--ref is missing')
})

test('the current files of a day have what a reversal takes back', async () => {
  const { keeper, changed } = await bookedDay()
  await changed()
  const { stdout } = await keeper.listen(true, context =>
    files.run(context, { current: true, dataset: 'journal_qbo' }),
  )
  const { files: current } = JSON.parse(stdout) as { files: { revision: number }[] }
  expect(current.map(({ revision }) => revision)).toEqual([0, 1])
})
