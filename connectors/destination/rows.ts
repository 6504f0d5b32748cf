import type { Interval } from '../../calendar/days.ts'
import type { Stream } from '../stream.ts'

/**
 * A row that the destination holds, alive (neither missed by a reading nor deleted by the API's own
 * word), and the earliest of the times by which the API may list it, epoch milliseconds.
 */
export interface KnownRow {
  id: string
  earliestMs: number
  /** Of a stream that exists once for each value: the value in whose list the row stands. */
  listedFor?: string | null
}

/**
 * A row of ours by its number in its table, which says nothing to anybody else and may stand in a
 * history (INV-10).
 */
export interface SampledRow {
  number: number
  id: string
  /** Epoch milliseconds. */
  modified: number | null
}

/**
 * How a row of ours stands against the same record at the API: `inconsistent`: its columns or lines
 * are not what its own record says; `differs`: the record is another one; `missing`: we do not have
 * what was there when we read; `gone`: we hold it as gone, and the API has it, not changed since;
 * `changed`: the API has a newer state than ours, which is no mistake.
 */
export type Difference = 'inconsistent' | 'differs' | 'missing' | 'gone' | 'changed'

export interface DifferentRow {
  id: string
  difference: Difference
  /** The API's `modified`, epoch milliseconds, where it says one. */
  modified: number | null
}

/** A record that somebody called by its id or by a name of it. */
export interface NamedRow {
  store: string
  id: string
  /** The column that has the word, and all that it says. */
  column: string
  text: string
  isGone: boolean
  /** Of a stream that is booked: the moment that puts it on a business day, epoch milliseconds. */
  bookedMs: number | null
}

/** Records of the API to be compared with ours. */
export interface RecordsToCompare {
  /** The JSON text of each. */
  records: readonly string[]
  /** When ours were read; what the API changed after that is no mistake. */
  readAtMs: number
  /**
   * `all`: the same record in a list has the same fields. `common`: asked for by its id, a record
   * may carry more or less than in a list; what both carry must be the same.
   */
  fields: 'all' | 'common'
}

/**
 * What the destination holds of records. Every method but `repair` only reads, and answers from one
 * moment: whatever a neighbouring window commits meanwhile is in the next answer.
 */
export interface Rows {
  /**
   * The living rows that a proven reading of a window must show, or they have moved or are gone:
   * those modified inside it. None where no part of the window was read before: then they came with
   * a neighbour, minutes ago. Rows without a time are never expected. Of a stream that exists once
   * for each value, only those whose own field holds the value (INV-5).
   */
  expected(store: string, stream: Stream, window: Interval): Promise<KnownRow[]>

  /** The newest living row that is none of these, to ask the API for; undefined: there is none. */
  newestLiving(
    store: string,
    stream: Stream,
    except: readonly string[],
  ): Promise<string | undefined>

  /**
   * Those of these rows whose state no list has shown: the API answered it to their ids when a
   * window did not show them any more.
   */
  leftByEdit(store: string, stream: Stream, ids: readonly string[]): Promise<string[]>

  /**
   * The values for which a list exists, sorted, from the living rows of the parent stream. Fails
   * with NOT_PROVEN where the parent was never proven.
   */
  parentValues(store: string, parent: NonNullable<Stream['parent']>): Promise<string[]>

  /**
   * Records whose id or whose name (`knownBy`) is this word, or has it inside where `within`;
   * capitals and small letters are one. At most fifty.
   */
  named(
    stores: readonly string[],
    stream: Stream,
    word: string,
    within?: boolean,
  ): Promise<NamedRow[]>

  count(store: string, stream: string): Promise<number>

  /**
   * How many living rows were modified inside each of these; of a stream that takes dates, whose
   * rows are found by that.
   */
  countModified(store: string, stream: Stream, inside: readonly Interval[]): Promise<number[]>

  /** The number of the reading that was committed last, of any list; it only grows. 0: none was. */
  lastReading(): Promise<number>

  /**
   * Ids of living rows that no business day of this interval can hold, because the moment that
   * books them is missing or lies elsewhere; in their order. None of a stream that is not booked.
   */
  bookedOutside(store: string, stream: Stream, days: Interval): Promise<string[]>

  /** `modified` of the newest record, epoch milliseconds; undefined: there is none. */
  newestModified(store: string, stream: Stream): Promise<number | undefined>

  /**
   * The numbers of so many living rows, each with the same chance, without reading the whole table;
   * fewer where there are not so many. The same random numbers draw the same rows.
   */
  draw(
    store: string,
    stream: Stream,
    sample: { count: number; random: () => number },
  ): Promise<number[]>

  /** Those of the numbered rows that are still alive. */
  numbered(store: string, stream: Stream, numbers: readonly number[]): Promise<SampledRow[]>

  /**
   * The rows that are not what these records of the API say. Dead letters are known to be missing,
   * and a record without a key can be nothing else: neither is reported.
   */
  compare(store: string, stream: Stream, records: RecordsToCompare): Promise<DifferentRow[]>

  /**
   * Makes rows right again as far as that needs no reading, in one transaction: columns and lines
   * are read anew out of the kept record, and a record that differs forgets its `modified`, so that
   * the next reading of its window replaces it and keeps it as a version. Safe to call again.
   */
  repair(store: string, stream: Stream, different: readonly DifferentRow[]): Promise<void>
}

/** One state of a record, as it stood from one reading to another. Times are milliseconds. */
export interface RecordVersion {
  store: string
  /** Numbers of the readings that saw it first, and that saw it changed; undefined: it stands. */
  fromBatch: number
  toBatch: number | undefined
  seenFromMs: number | undefined
  modifiedMs: number | undefined
  /** Since when it is marked as deleted. */
  goneAtMs: number | undefined
  /** The record as JSON. */
  raw: string
}

/** Every state of a record that was seen. */
export interface Versions {
  /** Store by store, the oldest state first. */
  of(stores: readonly string[], stream: string, id: string): Promise<RecordVersion[]>
}
