import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDatabase, insertRecords, sales } from '../exports/export-database.ts'
import { exportHere, freshFolder, orderFor, salesOf } from '../exports/order.ts'
import { T1 } from '../exports/sales/worked-example.ts'
import { bookkeeper, DAY } from './bookkeeper.ts'

const range = { from: DAY, to: '2026-03-09' }
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)
let before: number
beforeEach(() => void (before = process.umask(0o077)))
afterEach(() => void process.umask(before))

/** Modes of the folders and files of the day, by name. */
function modesIn(exports: string): Record<string, string> {
  const day = join(exports, 'downtown', DAY)
  return {
    exports: modeOf(exports),
    day: modeOf(day),
    ...Object.fromEntries(
      readdirSync(day).map(name => [name.split('_')[0]!, modeOf(join(day, name))]),
    ),
  }
}

test('exports are their owner alone, unless exports.mode gives others those without people', async () => {
  const closed = await bookkeeper()
  closed.sales([T1])
  await closed.export(['transactions'], range)
  expect(modesIn(closed.config.exports)).toEqual({
    exports: '700',
    day: '700',
    transactions: '600',
    manifest: '600',
  })
  const open = await bookkeeper(['downtown'], { exports: { folder: 'given', mode: '0640' } })
  open.sales([T1])
  await open.export(['transactions'], range)
  expect(open.config.exports.endsWith('given')).toBe(true)
  expect(modesIn(open.config.exports)).toEqual({
    exports: '750',
    day: '750',
    transactions: '640',
    manifest: '640',
  })
})

test('what a killed export left closed is opened by the next one, though nothing changed', async () => {
  const open = await bookkeeper(['downtown'], { exports: { folder: 'given', mode: '0640' } })
  open.sales([T1])
  await open.export(['transactions'], range)
  const opened = modesIn(open.config.exports)
  const day = join(open.config.exports, 'downtown', DAY)
  for (const name of readdirSync(day)) chmodSync(join(day, name), 0o600)
  chmodSync(day, 0o700)
  expect(modesIn(open.config.exports)).not.toEqual(opened)
  await open.export(['transactions'], range)
  expect(modesIn(open.config.exports)).toEqual(opened)
})

test('a folder that hands its group on to new folders goes on doing so', async () => {
  const open = await bookkeeper(['downtown'], { exports: { folder: 'given', mode: '0640' } })
  open.sales([T1])
  const folder = open.config.exports
  mkdirSync(folder)
  const handsGroupOn = 0o2000
  chmodSync(folder, handsGroupOn | 0o750)
  await open.export(['transactions'], range)
  expect(statSync(folder).mode & 0o7777).toBe(handsGroupOn | 0o750)
  const store = statSync(join(folder, 'downtown')).mode & 0o7777
  expect(store).toBe(handsGroupOn | 0o750)
})

test('folders are opened too where they are named from here (--out ./given)', async () => {
  const folder = freshFolder()
  const database = createDatabase(join(folder, 'tillage.db'))
  insertRecords(database, sales, 'downtown', salesOf(1))
  database.close()
  const out = join(folder, 'given')
  await exportHere(
    orderFor(folder, { out: `./${relative(process.cwd(), out)}`, mode: 0o640, formats: ['csv'] }),
  )
  expect(modesIn(out)).toEqual({
    exports: '750',
    day: '750',
    sale: '640',
    sales: '640',
    manifest: '640',
  })
})
