import { isEmpty, parseExact, sameJson, valueAt } from '../text/exact-json.ts'
import type { Json, JsonRecord } from '../text/exact-json.ts'
import { contentOf, modifiedOf } from './content.ts'
import { liveList } from './live.ts'
import { CATALOGS } from './operation.ts'
import type { Entity } from './operation.ts'
import { columnsOf } from './plan/columns.ts'
import { describeValue } from './plan/diff.ts'
import type { DiffContext } from './plan/diff.ts'
import { createReferences } from './plan/reference.ts'
import type { Push } from './push.ts'
import { createReader } from './read-list.ts'

/** A record that is not any more as our last push left it. */
export interface Drifted {
  entity: Entity
  externalId: string
  targetId: string
  /** The push that wrote it last. */
  plan: string
  pushedAt: string
  /** When the API says that it was modified last; null where it is gone or does not say. */
  modifiedAt: string | null
  changes: { field: string; pushed: string | null; now: string | null }[]
}

/** What somebody else changed since our last push, field by field. Reads each record by its id. */
export async function findCatalogDrift(
  push: Push,
  store: string,
  signal: AbortSignal,
): Promise<{ records: number; drifted: Drifted[] }> {
  const written = await lastWritten(push, store)
  const { timeZone } = await push.identify(store, signal)
  const context = contextOf(timeZone)
  const { record } = createReader(push.store(store), push.streams, signal)
  const found = await Promise.all(
    written.map(async one => compare(one, await record(one.entity, one.targetId), context)),
  )
  return { records: written.length, drifted: found.filter(one => one !== undefined) }
}

interface Written {
  plan: string
  entity: Entity
  externalId: string
  targetId: string
  at: string
  after: JsonRecord
}

/** Of each record what the newest receipt says. */
async function lastWritten({ outbound }: Push, store: string): Promise<Written[]> {
  const written = new Map<string, Written>()
  for (const { plan } of (await outbound.plans('push')).toReversed())
    for (const { body } of await outbound.receipts(plan)) {
      const receipt = parseExact(body) as JsonRecord
      if (receipt['store'] !== store) continue
      const targetId = String(receipt['target_id'])
      const entity = receipt['entity'] as Entity
      const one: Written = {
        plan,
        entity,
        targetId,
        externalId: String(receipt['external_id']),
        at: String(receipt['at']),
        after: receipt['after'] as JsonRecord,
      }
      const known = written.get(`${entity} ${targetId}`)
      if (known === undefined || known.at <= one.at) written.set(`${entity} ${targetId}`, one)
    }
  return [...written.values()]
}

function compare(
  { plan, entity, externalId, targetId, at, after }: Written,
  now: JsonRecord | undefined,
  context: DiffContext,
): Drifted | undefined {
  const about = { entity, externalId, targetId, plan, pushedAt: at }
  if (now === undefined)
    return {
      ...about,
      modifiedAt: null,
      changes: [{ field: 'record', pushed: 'there', now: null }],
    }
  const changes = changedFields(after, now).flatMap(field =>
    describeField(entity, field, { after, now, context }),
  )
  const modified = Number(modifiedOf(now) ?? Number.NaN)
  const modifiedAt = Number.isFinite(modified) ? new Date(modified).toISOString() : null
  return changes.length === 0 ? undefined : { ...about, modifiedAt, changes }
}

function changedFields(after: JsonRecord, now: JsonRecord): string[] {
  const [ours, theirs] = [contentOf(after), contentOf(now)]
  return [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].filter(
    field =>
      !(isEmpty(ours[field]) && isEmpty(theirs[field])) &&
      !sameJson(ours[field] ?? null, theirs[field] ?? null),
  )
}

/** In the columns of the file where it has them, else as the API names and writes it. */
function describeField(
  entity: Entity,
  field: string,
  { after, now, context }: { after: JsonRecord; now: JsonRecord; context: DiffContext },
): Drifted['changes'] {
  const catalog = CATALOGS.find(name => name === entity)
  const columns = (catalog === undefined ? [] : columnsOf(catalog)).filter(
    ({ path, kind }) => path[0] === field && kind !== 'note',
  )
  const described = columns.map(column => ({
    field: column.name,
    pushed: describeValue(valueAt(after, column.path), column, context),
    now: describeValue(valueAt(now, column.path), column, context),
  }))
  const differing = described.filter(change => change.pushed !== change.now)
  const json = (value: Json): string | null => (isEmpty(value) ? null : JSON.stringify(value))
  return differing.length > 0
    ? differing
    : [{ field, pushed: json(after[field]), now: json(now[field]) }]
}

/** References are shown by the ids that the API holds. */
function contextOf(timeZone: string): DiffContext {
  const none = liveList([])
  const live = { products: none, vendors: none, brands: none, categories: none }
  return { timeZone, references: createReferences(live, new Map()), assetOf: () => undefined }
}
