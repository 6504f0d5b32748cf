import { parseExact, valueAt, withValueAt } from '../../text/exact-json.ts'
import type { Json, JsonRecord } from '../../text/exact-json.ts'
import { contentHash, sameJson } from '../content.ts'
import type { Change, Edit } from '../operation.ts'
import { covers } from '../plan/covers.ts'
import { flagOf, photosOf } from '../plan/diff.ts'

/** What edits refer to that is only known when they are sent. */
export interface Known {
  /** Ids of the records that operations of this plan have created. */
  ids: ReadonlyMap<string, string>
  /** Records of pictures that were uploaded, by sha256, as JSON text. */
  assets: ReadonlyMap<string, string>
}

/** The record with the planned changes; everything else as it was read, token for token. */
export function withChanges(
  record: JsonRecord,
  changes: readonly Change[],
  known: Known,
): JsonRecord {
  // An answer about a vendor adds its brands; they are no field of a vendor.
  let changed = withValueAt(record, ['brandList'], undefined)
  for (const { edits } of changes)
    for (const edit of edits) changed = withValueAt(changed, edit.path, wanted(edit, record, known))
  return changed
}

/** Whether a record is what the changes ask for. What the server adds to it is its own. */
export const isAsPlanned = (
  record: JsonRecord,
  changes: readonly Change[],
  known: Known,
): boolean => differences(record, changes, known).length === 0

/** The columns in which a record is not what the changes ask for. */
export const differences = (
  record: JsonRecord,
  changes: readonly Change[],
  known: Known,
): string[] =>
  changes
    .filter(({ field, edits }) => edits.some(edit => !isThere(record, { field, edit }, known)))
    .map(({ field }) => field)

const isThere = (
  record: JsonRecord,
  { field, edit }: { field: string; edit: Edit },
  known: Known,
): boolean => covers(flagOf(valueAt(record, edit.path), field), wanted(edit, record, known))

/**
 * Whether a record shows nothing but what the changes ask for and what stood there before: the rest
 * of a write may still come, and nobody else has written.
 */
export function isOnItsWay(
  record: JsonRecord,
  before: JsonRecord,
  changes: readonly Change[],
  known: Known,
): boolean {
  const formerAt = ({ path }: Edit): Json => valueAt(before, path)
  const isFormer = (edit: Edit): boolean =>
    sameJson(valueAt(record, edit.path) ?? null, formerAt(edit) ?? null)
  const edits = changes.flatMap(change => change.edits)
  const without = edits.reduce((all, edit) => withValueAt(all, edit.path, formerAt(edit)), record)
  return (
    contentHash(without) === contentHash(before) &&
    changes.every(({ field, edits: own }) =>
      own.every(edit => isFormer(edit) || isThere(record, { field, edit }, known)),
    )
  )
}

function wanted(edit: Edit, record: JsonRecord, { ids, assets }: Known): Json {
  if (edit.idOf !== undefined) return ids.get(edit.idOf)
  if (edit.images !== undefined)
    return [
      ...othersThanPhotos(valueAt(record, edit.path)),
      ...edit.images.map(({ sha256 }) => parseExact(assets.get(sha256) ?? 'null')),
    ]
  return edit.to === null ? undefined : parseExact(edit.to)
}

function othersThanPhotos(assets: Json): Json[] {
  const photos = new Set(photosOf(assets))
  return Array.isArray(assets) ? assets.filter(asset => !photos.has(asset as JsonRecord)) : []
}
