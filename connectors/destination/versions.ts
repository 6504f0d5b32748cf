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
