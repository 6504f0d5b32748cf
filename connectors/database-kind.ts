import type { TillageError } from '../errors.ts'
import type { CopySource, CopyTarget, TargetOrder } from './copy/ends.ts'
import type { Destination } from './destination/destination.ts'
import type { KeptSecret, MadeSecret } from './destination/kept-secrets.ts'
import type { KeyShares } from './destination/key-shares.ts'
import type { OutboundStore } from './destination/outbound.ts'
import type { PlacedDatabase } from './destination/place.ts'
import type { PushMemory } from './destination/push.ts'
import type { DatabasePlace, ReadOnlyDatabase, ReadOptions } from './destination/read-only.ts'
import type { ComputedBooks } from './destination/shown-books.ts'
import type { PurgeOrder, Purged } from './destination/upkeep.ts'
import type { Act } from './sql/audit-chain.ts'
import type { InconsistentRows, Missing, PeopleToForget, SaleTotal } from './sql/by-hand.ts'
import type { Sql } from './sql/connection.ts'
import type { Steps } from './sql/steps.ts'
import type { UpkeepDialect } from './sql/upkeep/upkeep-dialect.ts'
import type { Stream } from './stream.ts'

/**
 * All that the program asks of one kind of database, SQLite or PostgreSQL; the first parameter says
 * which database. What exports ask stands in `ExportsKind`.
 */
export interface DatabaseKind {
  /** Whether there is one: a file, or tables of ours. */
  isThere(database: string): Promise<boolean>
  /** Whether somebody's name for a database is one of this kind, by what it begins with. */
  isDatabase(database: string): Promise<boolean>
  /** Brings its tables up to date; makes them where there are none. */
  migrate(database: string, streams: readonly Stream[]): Promise<void>
  /** What `migrate` does, and before it what holds the tables, after it who may use them. */
  create(database: string, streams: readonly Stream[]): Promise<CreatedDatabase>
  /** The same as a text of statements, for whoever may run them; undefined: nobody needs any. */
  createSql(database: string, streams: readonly Stream[]): Promise<string | undefined>
  /**
   * Fails with DATABASE_REFUSED where the program could not work: a server too old, another
   * encoding, a right that is missing. The remedy says what whoever may do it runs.
   */
  refuseUnfit(database: string): Promise<void>
  /** The server that holds it; undefined: it is a file. */
  readServerFacts(database: string): Promise<ServerFacts | undefined>
  /** Fails with DATABASE_OLDER where its tables are not those of this version. */
  refuseOlder(database: string, streams: readonly Stream[]): Promise<void>
  /** Fails with NOT_PROVEN where nothing was read yet. */
  refuseUnread(database: string): Promise<void>

  /** All its rows, while nobody else writes to it. */
  openCopySource(database: string): Promise<CopySource>
  /** Where nothing is yet, or what was begun with the same source. */
  openCopyTarget(
    database: string,
    streams: readonly Stream[],
    order: TargetOrder,
  ): Promise<CopyTarget>

  openDestination(place: PlacedDatabase, streams: readonly Stream[]): Promise<Destination>
  /** Opens it as it is; fails as `refuseUnread` and `refuseOlder` do. */
  openReadOnly(
    place: DatabasePlace,
    streams: readonly Stream[],
    options?: ReadOptions,
  ): Promise<ReadOnlyDatabase>
  /** Of several programs that make it at once, one's counts for all. */
  readOrMakeSecret(place: PlacedDatabase, secret: MadeSecret): Promise<string>
  /** Undefined: none was made yet. */
  readSecret(place: PlacedDatabase, secret: KeptSecret): Promise<string | undefined>

  /** A connection of its own each. */
  openOutboundStore(database: string, options?: { readonly: boolean }): Promise<OutboundStore>
  openPushMemory(database: string): Promise<PushMemory>
  /** For whoever asks an API and needs nothing else of the database, which may not be there. */
  openKeyShares(place: PlacedDatabase): Promise<KeyShares>

  /** Adds an act to the audit log, on the disk before this resolves; tables are up to date. */
  appendAct(database: string, act: Act): Promise<void>
  /**
   * What `read` finds in the audit log. A database of a version that kept none yet has none until
   * it is brought up to date.
   */
  readLog<Answer>(
    database: string,
    read: (sql: Sql) => Promise<Answer>,
  ): Promise<Answer | undefined>

  /** The views of the books are up to date with every reading up to this one. */
  rememberRefresh(
    database: string,
    refreshed: Pick<ComputedBooks, 'books' | 'store' | 'batch'>,
  ): Promise<void>
  /** Sales of a store since an instant, from what was read of them; none where nothing was. */
  readSaleTotals(database: string, store: string, fromMs: number): Promise<SaleTotal[]>

  /** What somebody does by hand, each with its act in the audit log, both or neither. */
  purge(
    database: string,
    order: PurgeOrder,
    streams: readonly Stream[],
    options: { dryRun: boolean },
  ): Promise<Purged[]>
  /** An act of `sql/upkeep/`, while nobody else has the database open. */
  alone<Answer>(database: string, act: (dialect: UpkeepDialect) => Steps<Answer>): Promise<Answer>
  /** All that `work` does with the people of a database, or nothing of it. */
  withPeople<Answer>(
    database: string,
    streams: readonly Stream[],
    work: (people: PeopleToForget) => Promise<Answer>,
  ): Promise<Answer>
  /**
   * Overwrites what was deleted before, where the database itself keeps it. False where somebody
   * kept it from that.
   */
  overwriteFreed(database: string): Promise<boolean>

  /** What the database's own check finds wrong; empty: nothing. */
  readDamage(database: string): Promise<string[]>
  readMissing(database: string, streams: readonly Stream[]): Promise<Missing>
  readInconsistentRows(database: string, streams: readonly Stream[]): Promise<InconsistentRows[]>
  /** The error that a damaged database is, with its remedy. */
  damageError(database: string): Promise<TillageError>
  /** How a backup comes in its place. */
  remedyByBackup(database: string): Promise<string>
  /** After a program that did not end in order; `onCheck` hears that it takes time. */
  checkAfterUncleanEnd(database: string, onCheck: () => void): Promise<void>
}

export interface CreatedDatabase {
  /** Without credentials. */
  place: string
  /** Whose tables are changed by later versions: who made them. */
  owner: string
  /** Roles that were missing. */
  made: readonly string[]
  /** All that have rights now: who works, and who only reads and sees nobody. */
  roles: readonly string[]
}

/** A server that holds a database, as it is seen from this machine. */
export interface ServerFacts {
  /** Product and version, as people call it. */
  version: string
  /** By how much this machine's clock is ahead of the server's; below 0: behind. */
  clockAheadMs: number
  /** Extensions in the database, but for those that every database has. */
  extensions: readonly string[]
}
