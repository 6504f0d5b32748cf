import { vendors } from '../connectors/partner/streams/vendors.ts'
import type { PlanDocument, ShownOperation } from './document.ts'
import { columnsOf } from './plan/columns.ts'

/** Fields of the API's record that tell who somebody is, as its stream says. */
const PERSONAL: ReadonlySet<string> = new Set(
  Object.values(vendors.columns)
    .filter(({ privacy }) => privacy === 'person')
    .map(({ path }) => path),
)

/** The same as columns of a catalog file. */
const OF_PEOPLE: ReadonlySet<string> = new Set(
  columnsOf('vendors')
    .filter(({ path }) => PERSONAL.has(path.join('.')))
    .map(({ name }) => name),
)

/** Whether a column tells who somebody is. */
export const isOfPeople = (column: string): boolean => OF_PEOPLE.has(column)

/** A value of a column for tables and pages, which do not tell who somebody is (INV-10). */
export const shownValue = (column: string, value: string | null): string | null =>
  isOfPeople(column) && value !== null && value !== '' ? '(hidden)' : value

type Changes = ShownOperation['changes']

/** A plan for tables and pages. Its own files, and its document for programs, have every value. */
export const withoutPeople = (document: PlanDocument): PlanDocument => ({
  ...document,
  stores: document.stores.map(store => ({
    ...store,
    operations: store.operations.map(one => ({ ...one, changes: one.changes.map(hideValues) })),
  })),
})

const hideValues = ({ field, old, new: next }: Changes[number]): Changes[number] => ({
  field,
  old: shownValue(field, old),
  new: shownValue(field, next),
})

/** Whether a plan says anything that `withoutPeople` hides. */
export const namesPeople = ({ stores }: PlanDocument): boolean =>
  stores.some(({ operations }) =>
    operations.some(({ changes }) => changes.some(({ field }) => isOfPeople(field))),
  )
