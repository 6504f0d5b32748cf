import { nameKey } from '../../outbound/approval.ts'
import type { JsonRecord } from '../../text/exact-json.ts'
import { contentHash, modifiedOf } from '../content.ts'
import { textIn } from '../input/rows.ts'
import type { Row } from '../input/rows.ts'
import { idOf, textField } from '../live.ts'
import type { LiveCatalog } from '../live.ts'
import { sends } from '../operation.ts'
import type { Catalog, Change, Flag, Operation, OperationKind } from '../operation.ts'
import { columnsOf } from './columns.ts'
import { diffRow } from './diff.ts'
import type { DiffContext } from './diff.ts'
import { effectiveAt } from './effective.ts'
import type { Effective } from './effective.ts'
import { findFlags } from './guards.ts'
import { keysOf, matchRow } from './match.ts'
import type { Match } from './match.ts'
import { planCreations } from './plan-creations.ts'
import { createReferences } from './reference.ts'
import type { StoreQuestion } from './store-question.ts'

/** What a store's file asks for, against what the store has. Pure. */
export function planStore(question: StoreQuestion): Operation[] {
  const creations = planCreations(question)
  const references = createReferences(
    question.live,
    new Map(creations.map(({ key, operation }) => [key, operation.id])),
  )
  const context: DiffContext = {
    timeZone: question.timeZone,
    references,
    assetOf: question.assetOf,
  }
  const matched = matchRows(question)
  const planned = matched.map(({ row, match }) => planRow(question, context, row, match))
  const missing = question.deactivateMissing ? planMissing(question, matched) : []
  // A brand that no row needs after all is not created.
  const needed = new Set(planned.flatMap(({ dependsOn }) => dependsOn))
  const creating = creations.map(({ operation }) => operation).filter(({ id }) => needed.has(id))
  return [...creating, ...planned, ...missing]
}

interface Matched {
  row: Row
  match: Match
}

/** Two rows about one record are a conflict of both. */
function matchRows({ rows, live, catalog }: StoreQuestion): Matched[] {
  const matched = rows.map(row => ({ row, match: matchRow(row, live[catalog], catalog) }))
  const claims = new Map<string, number[]>()
  for (const { row, match } of matched)
    if (match.kind === 'match')
      claims.set(idOf(match.record), [...(claims.get(idOf(match.record)) ?? []), row.row])
  return matched.map(({ row, match }) => {
    const claimed = match.kind === 'match' ? claims.get(idOf(match.record))! : []
    if (match.kind !== 'match' || claimed.length < 2) return { row, match }
    const reason = `rows ${claimed.join(' and ')} are about the same record, ${idOf(match.record)}`
    return {
      row,
      match: { kind: 'conflict', reason, by: match.by, targetId: idOf(match.record) },
    }
  })
}

function planRow(question: StoreQuestion, context: DiffContext, row: Row, match: Match): Operation {
  const start = startOf(question, row, match)
  if (match.kind === 'conflict')
    return { ...start, op: 'conflict', reason: match.reason, targetId: match.targetId }
  const record = match.kind === 'match' ? match.record : undefined
  const { changes, dependsOn, blocked } = diffRow(row, record, question.catalog, context)
  if (record === undefined) blocked.push(...missingForCreation(row, question.catalog))
  if (blocked.length > 0)
    return { ...start, op: 'blocked', reason: [...new Set(blocked)].join('; ') }
  const op = record === undefined ? 'create' : kindOf(changes)
  if (op === 'noop') return { ...start, op }
  return complete(
    question,
    { ...start, op, changes, dependsOn: [...new Set(dependsOn)] },
    {
      row,
      record,
    },
  )
}

function startOf({ store, catalog, nextId }: StoreQuestion, row: Row, match: Match): Operation {
  const record = match.kind === 'match' ? match.record : undefined
  return {
    id: nextId(),
    store,
    entity: catalog,
    op: 'noop',
    row: row.row,
    externalId: row.externalId,
    name: record === undefined ? (textIn(row, 'name') ?? '') : textField(record, 'name'),
    targetId: record === undefined ? null : idOf(record),
    match: match.kind === 'none' ? null : match.by,
    changes: [],
    flags: [],
    dependsOn: [],
    effectiveAt: null,
    reason: null,
    base: record === undefined ? null : baseOf(record),
  }
}

export const baseOf = (record: JsonRecord): { modified: string | null; hash: string } => ({
  modified: modifiedOf(record),
  hash: contentHash(record),
})

/** What kind of operation a set of changes is. */
export function kindOf(changes: readonly Change[]): OperationKind {
  if (changes.length === 0) return 'noop'
  const active = changes.find(({ field }) => field === 'active')
  if (active?.new === 'false') return 'deactivate'
  return active?.new === 'true' ? 'reactivate' : 'update'
}

/** Flags, effective time and what else only an operation that sends has. */
function complete(
  question: StoreQuestion,
  operation: Operation,
  { row, record }: { row: Row; record: JsonRecord | undefined },
): Operation {
  const { live, timeZone, nowMs } = question
  const time = textIn(row, 'effective_at')
  const effective: Effective | undefined =
    time === undefined ? undefined : effectiveAt(time, timeZone, nowMs)
  const { op, changes } = operation
  const flags: Flag[] = [
    ...findFlags({ op, record, changes, live, nowMs }),
    ...(effective?.flags ?? []),
  ]
  const sku = textIn(row, 'sku')
  const reason = op === 'create' ? sameName(question, row) : null
  return {
    ...operation,
    flags,
    reason,
    effectiveAt: effective?.at ?? null,
    ...(op === 'create' && sku !== undefined ? { sku } : {}),
  }
}

/** A record of the same name is said, and never taken for the same one. */
function sameName({ live, catalog }: StoreQuestion, row: Row): string | null {
  const name = nameKey(textIn(row, 'name') ?? '')
  const found = live[catalog].records.find(record => nameKey(textField(record, 'name')) === name)
  return found === undefined ? null : `there is one of the same name already: ${idOf(found)}`
}

function missingForCreation(row: Row, catalog: Catalog): string[] {
  const needed =
    catalog === 'products' ? ['name', 'category_external_id', 'vendor_external_id'] : ['name']
  return needed
    .filter(column => textIn(row, column) === undefined)
    .map(column => `a new record needs ${column}`)
}

/** Records in use that no row is about. */
function planMissing(question: StoreQuestion, matched: readonly Matched[]): Operation[] {
  const { live, catalog, store, nowMs, nextId } = question
  const named = new Set<string>()
  for (const { row, match } of matched) {
    if (match.kind === 'match') named.add(idOf(match.record))
    // What a row may be about is not missing from the file, whatever is wrong with the row.
    if (match.kind !== 'conflict') continue
    if (match.targetId !== null) named.add(match.targetId)
    for (const { field, key } of keysOf(row, catalog))
      for (const record of live[catalog].find(field, key)) named.add(idOf(record))
  }
  return live[catalog].records
    .filter(record => record['active'] !== false && !named.has(idOf(record)))
    .map(record => {
      const path = columnsOf(catalog).find(({ name }) => name === 'active')!.path
      const changes: Change[] = [
        { field: 'active', old: 'true', new: 'false', edits: [{ path, to: 'false' }] },
      ]
      const flags = findFlags({ op: 'deactivate', record, changes, live, nowMs })
      return {
        id: nextId(),
        store,
        entity: catalog,
        op: 'deactivate',
        row: null,
        externalId: textField(record, 'externalId'),
        name: textField(record, 'name'),
        targetId: idOf(record),
        match: null,
        changes,
        flags: ['missing_from_file', ...flags],
        dependsOn: [],
        effectiveAt: null,
        reason: 'no row of the file is about it',
        base: baseOf(record),
      } satisfies Operation
    })
}

/** `20` records, or `5%` of those that are in use. */
export interface Cap {
  count: number
  percent: boolean
}

/** How many would be deactivated because they are missing, where that is more than allowed. */
export function overCap(
  operations: readonly Operation[],
  live: LiveCatalog,
  catalog: Catalog,
  cap: Cap,
): { missing: number; inUse: number } | undefined {
  const missing = operations.filter(({ flags }) => flags.includes('missing_from_file')).length
  const inUse = live[catalog].records.filter(record => record['active'] !== false).length
  const over = cap.percent ? missing * 100 > cap.count * inUse : missing > cap.count
  return over ? { missing, inUse } : undefined
}

/** Ids of the records that the plan would write; they are read by their ids before it is made. */
export const writtenIds = (operations: readonly Operation[]): string[] =>
  operations.filter(sends).flatMap(({ targetId }) => (targetId === null ? [] : [targetId]))
