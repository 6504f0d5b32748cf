/**
 * A store's day as a bookkeeper lives with it for years: sales that are edited, files in any order,
 * a chart that changes, folders that vanish, runs that are killed. The steps are commands' own
 * exports on a real database and real folders; what they must lead to is kept beside them, as
 * simply as it can be said.
 */
import fs from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { accountingSettings } from '../../exports/journal/check-settings.ts'
import type { JournalOrder } from '../../exports/journal/journal-order.ts'
import type { JournalFormat } from '../../exports/journal/settings.ts'
import type { ExportOrder } from '../../exports/request.ts'
import { runExport } from '../../exports/run-export.ts'
import { bookDatabase, orderOfDay, store } from '../exports/sales/book-database.ts'
import { TIMES, wireOf } from '../exports/sales/worked-example.ts'
import { copyAt } from './copy-at.ts'
import { after, COST, DAY, isRefused } from './expected-books.ts'
import type { Expected } from './expected-books.ts'
import { collect } from './given-out.ts'
import type { Given } from './given-out.ts'
import type { ChartChoice, RunStep, SaleOfDay, Step } from './step.ts'

/** A step of which a process died after so many changes of the disk; undefined: it did not. */
export type Lived = Step & { dies?: number | undefined }

export interface Bookkeeping {
  live: (step: Lived) => Promise<void>
  /** In the order in which it was given out. */
  given: Given[]
  expected: Expected
  problems: string[]
  home: string
}

const CHART: ChartChoice = { cash: '1010', text: 'Till', location: 'A', closed: false }
export const ALL_JOURNALS = ['generic', 'qbo', 'xero', 'iif', 'netsuite'] as const

function settingsOf({ cash, text, location, closed }: ChartChoice): JournalOrder['settings'] {
  return accountingSettings.parse({
    accounts: { cash: { code: cash, name: `Cash ${cash}`, qbo: `${text}:${cash}` } },
    stores: { downtown: { code: 'S1', location } },
    ...(closed ? { periodClosedThrough: DAY } : {}),
  })
}

const wireOfSale = ({ tender, price, isVoid, isShort, note }: SaleOfDay, index: number): object => {
  const paid = isShort ? price - 1 : price
  return wireOf(
    `T${index}`,
    {
      status: isVoid ? 'Void' : 'Completed',
      modified: TIMES.modified + note,
      sellerId: `E${note}`,
      payments: [{ paymentOption: tender, paidAmount: paid, paymentReceived: paid, changeDue: 0 }],
    },
    {
      items: [
        {
          orderItemId: `T${index}-1`,
          productId: 'P-FLW',
          quantity: 1,
          unitPrice: price,
          cost: price,
          calcDiscount: 0,
          finalPrice: price,
          quantityLogs: [{ batchId: 'B-FLW', inventoryId: 'FLOOR', quantity: 1 }],
        },
      ],
      subTotal: price,
      total: price,
    },
  )
}

const SALES: readonly SaleOfDay[] = [20, 35].map(price => ({
  tender: 'Cash',
  price,
  isVoid: false,
  isShort: false,
  note: 0,
}))

/** A database as a sync leaves it, to be copied for each life. */
export async function prepareDatabase(folder: string): Promise<string> {
  const database = await bookDatabase(folder)
  store(database, 'products', [{ id: 'P-FLW', category: { name: 'Flower', cannabis: true } }])
  store(database, 'batches', [{ id: 'B-FLW', costPerUnit: COST, modified: 1 }])
  store(database, 'transactions', SALES.map(wireOfSale))
  database.close()
  return join(folder, 'tillage.db')
}

export function startBookkeeping(folder: string, database: string): Bookkeeping {
  const home = join(folder, 'home')
  fs.mkdirSync(home)
  fs.copyFileSync(database, join(home, 'tillage.db'))
  const sales = [...SALES]
  let chart = CHART
  /** Runs are on its 17th. */
  let month = 4
  const today = (): string => `2026-${String(month).padStart(2, '0')}-17`
  let last: Step | undefined
  const nothing = { state: undefined, books: undefined, chart: undefined, standing: [] }
  const unfiled = { filed: -1, importers: new Set<JournalFormat>() }
  const keeping: Bookkeeping = {
    home,
    given: [],
    problems: [],
    expected: { revision: -1, posted: -1, ...nothing, ...unfiled, onDates: new Map() },
    live,
  }

  async function live({ dies, ...step }: Lived): Promise<void> {
    switch (step.kind) {
      case 'again':
        if (last !== undefined) await live(last)
        return
      case 'edit':
        return edit(step.sale, step.change)
      case 'chart':
        chart = { ...chart, ...step.chart }
        return
      case 'next month':
        month++
        return
      case 'delete folder':
        fs.rmSync(join(home, step.out), { recursive: true, force: true })
        return
      case 'export':
      case 'journal': {
        last = step
        if (dies !== undefined) await dieIn(step, dies)
        else await run(step)
        keeping.problems.push(...collect(keeping.given, home))
      }
    }
  }

  function edit(index: number, change: Partial<SaleOfDay>): void {
    const changed = { ...sales[index]!, ...change }
    sales[index] = { ...changed, note: changed.note + 1 }
    const open = new Database(join(home, 'tillage.db'))
    store(open, 'transactions', [wireOfSale(sales[index], index)])
    open.close()
  }

  async function run(step: RunStep): Promise<void> {
    if (step.kind === 'journal' && step.how === 'dry run') {
      const before = traceOf(home)
      await runExport(orderOf(step), quiet)
      if (traceOf(home) !== before) keeping.problems.push('a dry run left a trace')
      return
    }
    if (isRefused(keeping.expected, step, sales)) {
      const refusal = await runExport(orderOf(step), quiet).then(
        () => '',
        (error: Error) => error.message,
      )
      if (!/posted differently/.test(refusal))
        keeping.problems.push('another day was written as if only its texts were others')
      return
    }
    const result = await runExport(orderOf(step), quiet)
    keeping.expected = after(keeping.expected, step, sales, { ...chart, today: today() })
    if (result.revision !== keeping.expected.revision)
      keeping.problems.push(
        `revision ${result.revision} of state ${keeping.expected.revision}, after ${step.kind}`,
      )
  }

  /** What the disk holds when the process dies is what the next one finds. */
  async function dieIn(step: RunStep, at: number): Promise<void> {
    const left = join(folder, 'left')
    // What the process would have said after its death, nobody hears.
    const work = (): Promise<unknown> => runExport(orderOf(step), quiet).catch(() => {})
    if (await copyAt(at, home, left, work)) {
      fs.rmSync(home, { recursive: true })
      fs.renameSync(left, home)
    }
    await run(step)
  }

  function orderOf(step: RunStep): ExportOrder {
    const out = join(home, step.out)
    const closed = chart.closed ? DAY : undefined
    if (step.kind === 'export')
      return orderOfDay(home, { out, datasets: step.datasets, formats: step.formats }, closed)
    const journal: JournalOrder = {
      settings: settingsOf(chart),
      formats: step.formats,
      storeKey: 'C1:S1',
      currency: 'USD',
      today: today(),
      deadLetters: 0,
      restateReason: step.how === 'restate' ? 'because' : undefined,
      reissuedBy: step.how === 'reissue' ? 'Ana Ruiz' : undefined,
    }
    const dryRun = step.how === 'dry run'
    return orderOfDay(
      home,
      { out, datasets: ['transactions'], formats: ['csv'], journal, dryRun },
      closed,
    )
  }

  return keeping
}

const quiet = { progress: () => {}, stopped: () => false }

/** All that a run may leave behind: files, and what the database remembers. */
export function traceOf(home: string): string {
  const files = fs
    .readdirSync(home, { recursive: true, encoding: 'utf8' })
    .filter(path => !path.startsWith('tillage.db'))
    .toSorted()
  const database = new Database(join(home, 'tillage.db'), { readonly: true })
  try {
    const tables = database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'rows_%'")
      .pluck()
      .all() as string[]
    return JSON.stringify([
      files,
      tables.map(name => database.prepare(`SELECT * FROM ${name}`).all()),
    ])
  } finally {
    database.close()
  }
}
