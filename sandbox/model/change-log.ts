import type { Change, Collection } from './collection.ts'

/** One record of one list of one store as it is after an operation; undefined: as seeded. */
export interface LoggedChange {
  store: string
  list: string
  number: number
  change: Change | undefined
}

/** Where changes outlive the process. */
export interface ChangeStore {
  /**
   * All of it in one transaction, with the number of the request that did it: the clock goes on
   * from there.
   */
  write(entries: readonly LoggedChange[], requestNumber: number): void
  clear(): void
  close(): void
}

/**
 * Makes each operation whole: what it changed in any list is kept together, and if it is refused
 * half way, all of it is taken back. Operations never wait for anything, so there is one at a time.
 */
export class ChangeLog {
  private readonly store: ChangeStore | undefined
  private readonly places = new Map<Collection, string>()
  /** What was there before the operation, in the order in which it was touched. */
  private touched = new Map<Collection, Map<number, Change | undefined>>()
  private undoing = false

  constructor(store: ChangeStore | undefined) {
    this.store = store
  }

  watch(store: string, collection: Collection): void {
    this.places.set(collection, store)
    collection.watcher = (list, number, before) => {
      if (this.undoing) return
      let numbers = this.touched.get(list)
      if (numbers === undefined)
        this.touched.set(list, (numbers = new Map<number, Change | undefined>()))
      if (!numbers.has(number)) numbers.set(number, before)
    }
  }

  /** Runs one operation: all of it or nothing. */
  run<T>(requestNumber: number, operation: () => T): T {
    this.touched.clear()
    try {
      const result = operation()
      if (this.touched.size > 0) this.store?.write(this.entries(), requestNumber)
      return result
    } catch (error) {
      this.undo()
      throw error
    } finally {
      this.touched.clear()
    }
  }

  clear(): void {
    this.store?.clear()
  }

  close(): void {
    this.store?.close()
  }

  private entries(): LoggedChange[] {
    return [...this.touched].flatMap(([collection, numbers]) =>
      [...numbers.keys()].map((number): LoggedChange => ({
        store: this.places.get(collection)!,
        list: collection.name,
        number,
        change: collection.change(number),
      })),
    )
  }

  private undo(): void {
    this.undoing = true
    try {
      for (const [collection, numbers] of this.touched)
        for (const [number, before] of [...numbers].reverse()) collection.set(number, before)
    } finally {
      this.undoing = false
    }
  }
}
