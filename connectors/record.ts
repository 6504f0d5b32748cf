/** Records of a stream, as an answer brings them. */
import { hash } from 'node:crypto'

/** An answer as strict JSON, and where in it the values of columns stand: see `cells.ts`. */
export interface AnswerText {
  json: Uint8Array
  cells: Int32Array
}

/** A record that does not fit its declaration: it goes into no table, and is a dead letter. */
export interface UnfitRecord {
  /** Of the answer's list. */
  position: number
  /** Places and expected kinds, never values (INV-10). */
  reason: string
}

/**
 * A record's key among dead letters and in proofs: its id, or a hash of its JSON where it has none.
 */
export const recordKey = (id: string | undefined, raw: () => string): string =>
  id ?? `no-id:${hash('sha256', raw()).slice(0, 24)}`
