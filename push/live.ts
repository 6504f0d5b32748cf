import { tokenOf } from '../text/exact-json.ts'
import type { JsonRecord } from '../text/exact-json.ts'
import { isMarkedDeleted } from '../text/record-fields.ts'
import { skuKey } from './input/rows.ts'
import type { Entity, Operation } from './operation.ts'

/** A list of a store as it was read, proven whole, with ways to find a record in it. */
export interface LiveList {
  /** Without those that are marked deleted. */
  records: readonly JsonRecord[]
  byId: ReadonlyMap<string, JsonRecord>
  find(by: 'externalId' | 'importId' | 'sku', key: string): readonly JsonRecord[]
}

/** What a plan looks at, of one store. */
export type LiveCatalog = Readonly<Record<Entity, LiveList>>

/** A text without outer blanks; keys of digits may come as numbers. */
export const textField = (record: JsonRecord, field: string): string => {
  const value = record[field]
  return typeof value === 'string' ? value.trim() : (tokenOf(value) ?? '')
}

/** One text may be written in several ways that nobody can tell apart, such as é and e with ´. */
export const textKey = (text: string): string => text.trim().normalize('NFC')

export const sameText = (a: string, b: string): boolean => textKey(a) === textKey(b)

export const idOf = (record: JsonRecord): string => textField(record, 'id')

export const isDeleted = ({ deleted }: JsonRecord): boolean =>
  isMarkedDeleted({ deleted: tokenOf(deleted) ?? deleted })

/**
 * By which key a record is another one than an operation creates; undefined: by none. The first key
 * that both have decides. An API may write keys in its own way, and a record that lacks one is no
 * other for that.
 */
export function otherKey(
  record: JsonRecord,
  { externalId, sku = '', name }: Pick<Operation, 'externalId' | 'sku' | 'name'>,
): 'external id' | 'SKU' | 'name' | undefined {
  const keys = [
    ['external id', externalId, textField(record, 'externalId')],
    ['SKU', sku, textField(record, 'sku')],
    ['name', name, textField(record, 'name')],
  ] as const
  const shared = keys.find(([, asked, shown]) => asked.trim() !== '' && shown !== '')
  if (shared === undefined) return undefined
  const [key, asked, shown] = shared
  return looseKey(asked) === looseKey(shown) ? undefined : key
}

const looseKey = (text: string): string => textKey(text).toLowerCase().replaceAll(/\s+/g, ' ')

export function liveList(all: readonly JsonRecord[]): LiveList {
  const records = all.filter(record => !isDeleted(record))
  const indexes = new Map<string, Map<string, JsonRecord[]>>()
  const keyOf = (by: string, text: string): string => (by === 'sku' ? skuKey(text) : textKey(text))
  const indexBy = (field: string): Map<string, JsonRecord[]> => {
    const known = indexes.get(field)
    if (known !== undefined) return known
    const index = new Map<string, JsonRecord[]>()
    for (const record of records) {
      const key = keyOf(field, textField(record, field))
      if (key === '') continue
      const found = index.get(key)
      if (found === undefined) index.set(key, [record])
      else found.push(record)
    }
    indexes.set(field, index)
    return index
  }
  return {
    records,
    byId: new Map(records.map(record => [idOf(record), record])),
    find: (by, key) => indexBy(by).get(keyOf(by, key)) ?? [],
  }
}

/** The same list with some records as they were read by their ids. */
export const withRecords = (list: LiveList, read: ReadonlyMap<string, JsonRecord>): LiveList =>
  liveList(list.records.map(record => read.get(idOf(record)) ?? record))
