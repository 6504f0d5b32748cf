import { mix } from './random.ts'

/**
 * Identifiers of one list of one store: 24 hexadecimal digits that grow with the record's number,
 * as the API's do.
 */
export interface Ids {
  of(number: number): string
  /** The number behind an id of this list; undefined for any other text. */
  numberOf(id: string): number | undefined
}

const hex = (bits: number): string => (bits + 0x100000000).toString(16).slice(1)

/** Two lists never share a prefix: the second half of it is the tag of the list itself. */
export function makeIds(seed: number, tag: number): Ids {
  const prefix =
    hex((mix(seed, 0x1d5) | 0x60000000) >>> 0) + hex(((mix(seed, tag) << 8) | tag) >>> 0)
  return {
    of: number => prefix + hex(number),
    numberOf: id =>
      id.length === 24 && id.startsWith(prefix) && /^[0-9a-f]{8}$/.test(id.slice(16))
        ? Number.parseInt(id.slice(16), 16)
        : undefined,
  }
}
