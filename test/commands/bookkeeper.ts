import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DayFilesOrder, WrittenFiles } from '../../activities/dependencies.ts'
import { createDayFilesWriter } from '../../books/write-day-files.ts'
import { addDays } from '../../calendar/days.ts'
import type { Context } from '../../commands/command.ts'
import { exportDatasets } from '../../commands/export.ts'
import { journal } from '../../commands/journal.ts'
import type { JournalOptions } from '../../commands/journal/options.ts'
import type { Terminal } from '../../commands/terminal/terminal.ts'
import { loadConfig } from '../../config.ts'
import type { Config } from '../../config.ts'
import type { WindowToCommit } from '../../connectors/destination/windows.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import type { Statement } from '../../connectors/sql/connection.ts'
import { createBookedDays } from '../../connectors/sql/rows/booked-days.ts'
import { kyselyOn } from '../../connectors/sqlite/connection/query-builder.ts'
import { DIALECT } from '../../connectors/sqlite/rows/rows.ts'
import { openDatabase } from '../connectors/sqlite/window-database.ts'
import { filesIn } from '../exports/order.ts'
import { ANY_PORT } from '../helpers/any-port.ts'

export const DAY = '2026-03-08'
const PROVEN = { start: '2026-03-01T00:00:00.000Z', end: '2026-03-20T00:00:00.000Z' }
const LOTS = [
  { id: 'B-FLW', costPerUnit: 14, modified: 1 },
  { id: 'B-GUM', costPerUnit: 8, modified: 1 },
]
const PRODUCTS = [
  { id: 'P-FLW', name: 'Flower', category: { name: 'Flower', cannabis: true } },
  { id: 'P-GUM', name: 'Gummies', category: { name: 'Edible', cannabis: true } },
]

export interface Said {
  status: number
  stdout: string
  stderr: string
}

/**
 * Stores whose transactions were read without any API, and the commands that make books of them.
 */
export async function bookkeeper(stores: readonly string[] = ['downtown'], settings: object = {}) {
  const database = await openDatabase(streams)
  const folder = dirname(database.path)
  const file = join(folder, 'tillage.yaml')
  const configure = (more: object): Config => {
    const own = stores.map(id => ({
      id,
      baseUrl: 'http://127.0.0.1:9',
      partnerKey: 'p',
      developerKey: id,
      timeZone: 'America/Los_Angeles',
      dayStartsAt: '02:00',
    }))
    const places = { database: 'tillage.db', exports: 'exports', console: ANY_PORT }
    writeFileSync(file, JSON.stringify({ stores: own, ...places, ...more }))
    return loadConfig(file)
  }
  const read = (
    store: string,
    name: string,
    records: readonly unknown[],
    changes: Partial<WindowToCommit> = {},
  ): void =>
    void database.load(
      streams.find(stream => stream.name === name)!,
      [records.map(record => JSON.stringify(record))],
      { store, window: PROVEN, ...changes },
    )
  for (const store of stores) {
    read(store, 'products', PRODUCTS)
    read(store, 'batches', LOTS)
  }
  const listen = async (
    json: boolean,
    command: (context: Context) => Promise<number>,
  ): Promise<Said> => {
    const [out, log]: [string[], string[]] = [[], []]
    const terminal: Terminal = {
      json,
      print: text => out.push(text),
      progress: () => {},
      log: line => log.push(line),
    }
    const status = await command({ terminal, signal, config: keeper.config })
    return { status, stdout: out.join('\n'), stderr: log.join('\n') }
  }
  const run = ({ sql, parameters }: Statement): number =>
    database.connection.prepare(sql).run(...parameters).changes
  const { signal } = new AbortController()
  const keeper = {
    listen,
    config: configure(settings),
    database,
    read,
    sales: (
      records: readonly unknown[],
      changes: Partial<WindowToCommit> = {},
      store = stores[0]!,
    ) => read(store, 'transactions', records, changes),
    reconfigure: (more: object) => void (keeper.config = configure(more)),
    journal: (options: JournalOptions = {}, json = false) =>
      listen(json, context => journal(context, { date: DAY, ...options })),
    export: (names: readonly string[], options: object = {}, json = false) =>
      listen(json, context =>
        exportDatasets(
          context,
          { from: DAY, to: addDays(DAY, 1), format: 'csv', ...options },
          names,
        ),
      ),
    /** Writes the books of a night as its activity does. */
    night: (order: DayFilesOrder): Promise<WrittenFiles> =>
      createDayFilesWriter(keeper.config, {
        bookedDays: createBookedDays(
          { db: kyselyOn(database.connection), dialect: DIALECT },
          {
            execute: async statement => run(statement),
            executeAll: async statements => void statements.map(run),
          },
        ),
      })(order, signal),
    files: () => filesIn(keeper.config.exports),
  }
  return keeper
}
