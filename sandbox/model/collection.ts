import { JsonWriter } from '../values/json-writer.ts'
import { parseExactly, readNumber } from '../values/money.ts'
import { FieldIndex } from './field-index.ts'
import { ModifiedOrder } from './modified-order.ts'

/** What a list holds before anybody changes it: record n as a function of n. */
export interface Seeded {
  count: number
  idOf(number: number): string
  numberOf(id: string): number | undefined
  modifiedOf(number: number): number
  write(out: JsonWriter, number: number): void
}

/** What became of a record: its new text, or undefined if it was removed without a trace. */
export interface Change {
  id: string
  modified: number
  text: string | undefined
}

/** Told of every change before it happens, with what was there: see `change-log.ts`. */
export type Watcher = (collection: Collection, number: number, before: Change | undefined) => void

let scratch: JsonWriter | undefined

/** A record as JSON, in the numbers' own digits. */
export type JsonRecord = Record<string, unknown>

/**
 * One list of one store: seeded records, and over them what was inserted, edited or deleted since.
 * Only changes are kept in memory; whatever was not changed is written anew from its number each
 * time.
 */
export class Collection {
  readonly name: string
  /** What every record of the list carries of its company and shop. */
  readonly owner: JsonRecord
  order: ModifiedOrder
  watcher: Watcher | undefined
  private readonly seeded: Seeded
  private readonly changes = new Map<number, Change>()
  private readonly insertedIds = new Map<string, number>()
  private readonly indexes = new Map<string, FieldIndex>()
  private next: number

  constructor(name: string, seeded: Seeded, owner: JsonRecord = {}) {
    this.name = name
    this.owner = owner
    this.seeded = seeded
    this.next = seeded.count
    this.order = new ModifiedOrder(seeded.count, number => seeded.modifiedOf(number))
  }

  /**
   * The number that the next inserted record gets: it only grows, so numbers people read
   * (requestNo, poNumber) follow from it.
   */
  get nextNumber(): number {
    return this.next
  }

  /** Back to the seed. */
  reset(): void {
    if (this.changes.size === 0) return
    this.changes.clear()
    this.insertedIds.clear()
    this.indexes.clear()
    this.next = this.seeded.count
    this.order = new ModifiedOrder(this.seeded.count, number => this.seeded.modifiedOf(number))
  }

  write(out: JsonWriter, number: number): void {
    const changed = this.changes.get(number)?.text
    if (changed === undefined) this.seeded.write(out, number)
    else out.text(changed)
  }

  text(number: number): string {
    const out = (scratch ??= new JsonWriter())
    out.length = 0
    this.write(out, number)
    return out.copy(0).toString()
  }

  /** The record with plain numbers, to decide by. */
  read(number: number): JsonRecord {
    return JSON.parse(this.text(number)) as JsonRecord
  }

  idOf(number: number): string {
    return this.changes.get(number)?.id ?? this.seeded.idOf(number)
  }

  modifiedOf(number: number): number {
    return this.changes.get(number)?.modified ?? this.seeded.modifiedOf(number)
  }

  change(number: number): Change | undefined {
    return this.changes.get(number)
  }

  find(id: string): number | undefined {
    const number = this.insertedIds.get(id) ?? this.seeded.numberOf(id)
    return number === undefined || !this.holds(number) || this.idOf(number) !== id
      ? undefined
      : number
  }

  /** The record with this id, with plain numbers. */
  get(id: string): JsonRecord | undefined {
    const number = this.find(id)
    return number === undefined ? undefined : this.read(number)
  }

  /**
   * The numbers of the records whose `field` is this text, in order of number. The first call reads
   * the whole list, the others a table.
   */
  where(field: string, value: string): number[] {
    let index = this.indexes.get(field)
    if (index === undefined) {
      index = new FieldIndex(field)
      for (const number of this.order.slice(0, this.order.length))
        index.set(number, this.text(number))
      this.indexes.set(field, index)
    }
    return index.find(value)
  }

  /** Every record in order of number, with plain numbers: for short lists. */
  *all(): Generator<JsonRecord> {
    for (const number of this.order.slice(0, this.order.length).sort()) yield this.read(number)
  }

  /**
   * Adds a record. A missing id, created, modified or owner is filled in; an id that exists is
   * refused. Returns the id.
   */
  insert(record: JsonRecord, nowMs: number): string {
    const id = typeof record['id'] === 'string' ? record['id'] : this.seeded.idOf(this.next)
    if (this.find(id) !== undefined) throw new RangeError(`${this.name} already has a record ${id}`)
    const modified = readNumber(record['modified']) ?? nowMs
    this.set(this.next, {
      id,
      modified,
      text: JSON.stringify({
        ...this.owner,
        created: modified,
        deleted: false,
        updated: false,
        ...record,
        id,
        modified,
      }),
    })
    return id
  }

  /**
   * Merges a patch into a record; `modified` becomes what the patch says, else now, and always
   * later than it was.
   */
  edit(number: number, patch: JsonRecord, nowMs: number): void {
    this.replace(
      number,
      { ...(parseExactly(this.text(number)) as JsonRecord), ...patch },
      nowMs,
      readNumber(patch['modified']),
    )
  }

  /** Puts another record in the place of one: the same id, modified now unless told otherwise. */
  replace(
    number: number,
    record: JsonRecord,
    nowMs: number,
    modified = Math.max(nowMs, this.modifiedOf(number) + 1),
  ): void {
    const id = this.idOf(number)
    this.set(number, { id, modified, text: JSON.stringify({ ...record, id, modified }) })
  }

  /** The record is gone from every list, as if it had never been. (`deleted: true` is an edit.) */
  remove(number: number): void {
    this.set(number, { id: this.idOf(number), modified: this.modifiedOf(number), text: undefined })
  }

  /**
   * The one way to change anything, also to undo it (`undefined`: as seeded, or not there) and to
   * take it back from a file.
   */
  set(number: number, change: Change | undefined): void {
    const before = this.changes.get(number)
    this.watcher?.(this, number, before)
    if (this.holds(number)) this.order.remove(number, this.modifiedOf(number))
    if (change === undefined) this.changes.delete(number)
    else this.changes.set(number, change)
    if (number >= this.seeded.count) this.keepInserted(number, before, change)
    const here = this.holds(number)
    if (here) this.order.insert(number, this.modifiedOf(number))
    for (const index of this.indexes.values())
      index.set(number, here ? this.text(number) : undefined)
  }

  /** Ids and numbers of records that the seed does not have. */
  private keepInserted(
    number: number,
    before: Change | undefined,
    change: Change | undefined,
  ): void {
    if (change !== undefined) this.insertedIds.set(change.id, number)
    else if (before !== undefined) this.insertedIds.delete(before.id)
    const undoesLast = change === undefined && number === this.next - 1
    this.next = undoesLast ? number : Math.max(this.next, number + 1)
  }

  private holds(number: number): boolean {
    const change = this.changes.get(number)
    return change === undefined ? number < this.seeded.count : change.text !== undefined
  }
}
