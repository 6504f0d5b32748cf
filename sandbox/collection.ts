import { JsonWriter } from './json-writer.ts'
import { parseExactly } from './money.ts'
import { Order } from './order.ts'

/** What a list holds before anybody changes it: record n as a function of n. */
export interface Seeded {
  count: number
  idOf(number: number): string
  numberOf(id: string): number | undefined
  modifiedOf(number: number): number
  write(out: JsonWriter, number: number): void
}

interface Changed {
  id: string
  modified: number
  text: string
}

let scratch: JsonWriter | undefined

/** A record as JSON, in the numbers' own digits. */
export type JsonRecord = Record<string, unknown>

/**
 * One list of one store: seeded records, and over them what was inserted, edited or deleted since. Only changes are kept
 * in memory; whatever was not changed is written anew from its number each time.
 */
export class Collection {
  readonly name: string
  order: Order
  private readonly seeded: Seeded
  private readonly changed = new Map<number, Changed>()
  private readonly removed = new Set<number>()
  private readonly insertedIds = new Map<string, number>()
  private next: number

  constructor(name: string, seeded: Seeded) {
    this.name = name
    this.seeded = seeded
    this.next = seeded.count
    this.order = new Order(seeded.count, (number) => seeded.modifiedOf(number))
  }

  /** Back to the seed. */
  reset(): void {
    if (this.changed.size === 0 && this.removed.size === 0) return
    this.changed.clear()
    this.removed.clear()
    this.insertedIds.clear()
    this.next = this.seeded.count
    this.order = new Order(this.seeded.count, (number) => this.seeded.modifiedOf(number))
  }

  write(out: JsonWriter, number: number): void {
    const changed = this.changed.get(number)
    if (changed === undefined) this.seeded.write(out, number)
    else out.text(changed.text)
  }

  text(number: number): string {
    const out = (scratch ??= new JsonWriter())
    out.length = 0
    this.write(out, number)
    return out.copy(0).toString()
  }

  idOf(number: number): string {
    return this.changed.get(number)?.id ?? this.seeded.idOf(number)
  }

  modifiedOf(number: number): number {
    return this.changed.get(number)?.modified ?? this.seeded.modifiedOf(number)
  }

  find(id: string): number | undefined {
    const number = this.insertedIds.get(id) ?? this.seeded.numberOf(id)
    return number === undefined || number >= this.next || this.removed.has(number) || this.idOf(number) !== id ? undefined : number
  }

  /** Adds a record. What it lacks of id, created and modified is filled in; an id that exists is refused. */
  insert(record: JsonRecord, nowMs: number): string {
    const id = typeof record['id'] === 'string' ? record['id'] : this.seeded.idOf(this.next)
    if (this.find(id) !== undefined) throw new RangeError(`${this.name} already has a record ${id}`)
    const modified = readMs(record['modified']) ?? nowMs
    const number = this.next++
    this.insertedIds.set(id, number)
    this.changed.set(number, { id, modified, text: JSON.stringify({ created: modified, ...record, id, modified }) })
    this.order.insert(number, modified)
    return id
  }

  /** Merges a patch into a record; `modified` becomes what the patch says, else now, and always later than it was. */
  edit(number: number, patch: JsonRecord, nowMs: number): void {
    const before = this.modifiedOf(number)
    const modified = readMs(patch['modified']) ?? Math.max(nowMs, before + 1)
    const record: JsonRecord = { ...(parseExactly(this.text(number)) as JsonRecord), ...patch, id: this.idOf(number), modified }
    this.changed.set(number, { id: this.idOf(number), modified, text: JSON.stringify(record) })
    this.order.remove(number, before)
    this.order.insert(number, modified)
  }

  /** The record is gone from every list, as if it had never been. (`deleted: true` is an edit.) */
  remove(number: number): void {
    this.order.remove(number, this.modifiedOf(number))
    this.removed.add(number)
  }
}

/** Epoch milliseconds, be they a number or a number token that kept its digits. */
function readMs(value: unknown): number | undefined {
  const ms = typeof value === 'object' && value !== null && 'rawJSON' in value ? Number(value.rawJSON) : value
  return typeof ms === 'number' && Number.isFinite(ms) ? ms : undefined
}
