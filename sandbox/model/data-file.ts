import Sqlite from 'better-sqlite3'
import type { Settings } from '../options.ts'
import type { LoggedChange, ChangeStore } from './change-log.ts'
import type { Collection } from './collection.ts'

/** What the records follow from: a file holds changes to them, so it fits no others. */
type Origin = Pick<Settings, 'seed' | 'stores' | 'days' | 'transactionsPerDay'> & {
  until: string | null
  bornMs: number
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS sandbox (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS changes (
  store TEXT NOT NULL,
  list TEXT NOT NULL,
  number INTEGER NOT NULL,
  id TEXT NOT NULL,
  modified REAL NOT NULL,
  text TEXT,
  PRIMARY KEY (store, list, number)
) WITHOUT ROWID;`

interface Row {
  store: string
  list: string
  number: number
  id: string
  modified: number
  text: string | null
}

/**
 * `--data FILE`: what was inserted, edited and removed, in SQLite; the seeded records follow from
 * the seed again. One transaction for each operation, written before it is answered, so that a
 * process that is killed loses nothing.
 */
export class DataFile implements ChangeStore {
  /** The settings, with the day on which the file was begun as the day of the seed. */
  readonly settings: Settings
  private readonly database: Sqlite.Database
  private readonly put: Sqlite.Statement
  private readonly drop: Sqlite.Statement
  private readonly remember: Sqlite.Statement

  constructor(path: string, settings: Settings) {
    try {
      this.database = new Sqlite(path)
      this.database.pragma('journal_mode = WAL')
      this.database.pragma('synchronous = NORMAL')
      this.database.exec(SCHEMA)
    } catch (cause) {
      throw new RangeError(
        `sandbox: ${path} cannot be opened as a data file (${(cause as Error).message}); ` +
          'name a file in a folder that exists, or one that a sandbox wrote',
        { cause },
      )
    }
    this.put = this.database.prepare(
      `INSERT OR REPLACE INTO changes (store, list, number, id, modified, text)
       VALUES (?, ?, ?, ?, ?, ?)`,
    )
    this.drop = this.database.prepare(
      'DELETE FROM changes WHERE store = ? AND list = ? AND number = ?',
    )
    this.remember = this.database.prepare(
      'INSERT OR REPLACE INTO sandbox (key, value) VALUES (?, ?)',
    )
    this.settings = { ...settings, bornMs: this.agree(path, settings) }
  }

  /** The number of the last request that changed something. */
  get requestNumber(): number {
    return Number(this.value('requestNumber') ?? 0)
  }

  /** Brings the lists of a store to where they were. */
  restore(store: string, lists: Readonly<Record<string, Collection>>): void {
    const rows = this.database
      .prepare('SELECT * FROM changes WHERE store = ? ORDER BY list, number')
      .iterate(store) as IterableIterator<Row>
    for (const { list, number, id, modified, text } of rows)
      lists[list]?.set(number, { id, modified, text: text ?? undefined })
  }

  write(entries: readonly LoggedChange[], requestNumber: number): void {
    this.database.transaction(() => {
      for (const { store, list, number, change } of entries) {
        if (change === undefined) this.drop.run(store, list, number)
        else this.put.run(store, list, number, change.id, change.modified, change.text ?? null)
      }
      this.remember.run('requestNumber', String(requestNumber))
    })()
  }

  clear(): void {
    this.database.transaction(() => {
      this.database.exec('DELETE FROM changes')
      this.remember.run('requestNumber', '0')
    })()
  }

  close(): void {
    this.database.close()
  }

  /** When the file was begun; refused if its seed is another one. */
  private agree(path: string, settings: Settings): number {
    const wanted: Origin = {
      seed: settings.seed,
      stores: settings.stores,
      days: settings.days,
      transactionsPerDay: settings.transactionsPerDay,
      until: settings.until ?? null,
      bornMs: settings.bornMs,
    }
    const text = this.value('origin')
    if (text === undefined) {
      this.remember.run('origin', JSON.stringify(wanted))
      return wanted.bornMs
    }
    const found = JSON.parse(text) as Origin
    const differs = (['seed', 'stores', 'days', 'transactionsPerDay', 'until'] as const).filter(
      name => found[name] !== wanted[name],
    )
    if (differs.length > 0) {
      this.close()
      throw new RangeError(
        `sandbox: ${path} was begun with ` +
          `${differs.map(name => `${name} ${String(found[name])}`).join(', ')}, ` +
          `not ${differs.map(name => String(wanted[name])).join(', ')}; ` +
          'start with the same options, or with another file',
      )
    }
    return found.bornMs
  }

  private value(key: string): string | undefined {
    return this.database.prepare('SELECT value FROM sandbox WHERE key = ?').pluck().get(key) as
      | string
      | undefined
  }
}
