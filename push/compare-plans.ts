import type { Operation } from './operation.ts'

/** What two plans would do to one record, where that is not the same. */
export interface PlanDifference {
  store: string
  externalId: string
  name: string
  /** The column of the file; `operation` where only one has the record, or does another thing. */
  field: string
  /** What each plan writes there; null: it does not touch it. */
  first: string | null
  second: string | null
}

/** What a second plan would do otherwise than a first one, record by record and field by field. */
export function comparePlans(
  first: readonly Operation[],
  second: readonly Operation[],
): PlanDifference[] {
  const [before, after] = [byRecord(first), byRecord(second)]
  const keys = [...new Set([...before.keys(), ...after.keys()])]
  return keys.flatMap(key => compareRecord(before.get(key), after.get(key)))
}

const byRecord = (operations: readonly Operation[]): Map<string, Operation> =>
  new Map(
    operations.map(one => [JSON.stringify([one.store, one.entity, one.externalId]), one] as const),
  )

function compareRecord(
  first: Operation | undefined,
  second: Operation | undefined,
): PlanDifference[] {
  const { store, externalId, name } = (second ?? first)!
  const about = { store, externalId, name }
  const kinds = { first: first?.op ?? null, second: second?.op ?? null }
  const operation = kinds.first === kinds.second ? [] : [{ ...about, field: 'operation', ...kinds }]
  const [from, to] = [writtenBy(first), writtenBy(second)]
  const fields = [...new Set([...from.keys(), ...to.keys()])]
  return [
    ...operation,
    ...fields
      .map(field => ({
        ...about,
        field,
        first: from.get(field) ?? null,
        second: to.get(field) ?? null,
      }))
      .filter(one => one.first !== one.second),
  ]
}

const writtenBy = (operation: Operation | undefined): Map<string, string> =>
  new Map(operation?.changes.map(change => [change.field, change.new ?? '(cleared)']))
